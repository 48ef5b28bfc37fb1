"""The files of all-MiniLM-L6-v2 that graphmem reads, with the weights in half precision."""

from pathlib import Path
from typing import Final

MODEL: Final = Path(__file__).parent / "model"
"""The folder with config.json, model.safetensors, sentence_bert_config.json and vocab.txt."""
