"""The layer between the network and the app: who gets in, and what is ready before the first person comes."""
