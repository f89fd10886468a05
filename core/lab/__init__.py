"""The paper's comparisons on any pool: every baseline and every ablation, exact where there is a closed form.

`python -m core.lab POOL --target T` prints them all.
"""
