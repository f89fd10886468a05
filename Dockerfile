# Neyman in a container: the wheel with the versions of requirements.lock, no compiler, not root.
#
#   docker build -t neyman .
#   docker run -p 8501:8501 -v neyman:/data neyman          # the access code is in the log
#   docker run -p 8501:8501 neyman neyman serve --public --host demo.example.org

FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN sed -n 's/^\([A-Za-z0-9._-]*==[^ ;]*\).*/\1/p' requirements.lock > constraints.txt \
    && pip install --no-cache-dir --only-binary :all: --constraint constraints.txt hatchling \
    && python -m hatchling build --target wheel \
    && python -m venv /opt/neyman \
    && /opt/neyman/bin/pip install --no-cache-dir --only-binary :all: --constraint constraints.txt dist/*.whl

FROM python:3.13-slim
COPY --from=build /opt/neyman /opt/neyman
# Hugging Face runs a Space as this user.
RUN useradd --create-home --uid 1000 neyman && mkdir /data && chown neyman /data
USER neyman
WORKDIR /home/neyman
ENV PATH=/opt/neyman/bin:$PATH NEYMAN_HOME=/data PYTHONDONTWRITEBYTECODE=1
VOLUME /data
EXPOSE 8501
# A shared app answers strangers with 401.
HEALTHCHECK --start-period=30s --interval=30s --timeout=10s CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8501, timeout=5); c.request('GET', '/_stcore/health'); raise SystemExit(c.getresponse().status not in (200, 401))"]
# A Space names the host under which strangers come, through a proxy that names their addresses.
CMD ["sh", "-c", "if [ -n \"$SPACE_HOST\" ]; then export FORWARDED_ALLOW_IPS='*'; exec neyman serve --public --host \"$SPACE_HOST\"; else exec neyman serve --share localhost; fi"]
