"""Reads a gray picture with PP-OCR, whose models come with the package rapidocr.

Argument: how much memory it may take, in bytes. Input: a file descriptor on standard input that holds a TIFF. Output: JSON, a list of
[text, confidence 0..1, left, top, right, bottom] for each word, in pixels.
"""

import json
import resource
import sys

# Before anything is loaded: what takes more fails, instead of taking the memory of whoever asked.
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[1]), int(sys.argv[1])))

import cv2
import numpy
from rapidocr import RapidOCR

picture = cv2.imdecode(numpy.frombuffer(sys.stdin.buffer.read(), numpy.uint8), cv2.IMREAD_COLOR)
engine = RapidOCR(
    params={
        "Global.log_level": "critical",
        # A larger picture is made smaller: its memory and time grow with its area.
        "Global.max_side_len": 1600,
        # Other processes have the other cores.
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
)
# The picture is upright.
lines = engine(picture, use_cls=False, return_word_box=True).word_results or []
words = []
for line in lines:
    for text, confidence, corners in line:
        if not text.strip() or corners is None:
            continue
        across = [float(x) for x, _ in corners]
        down = [float(y) for _, y in corners]
        words.append([text, round(float(confidence), 3), min(across), min(down), max(across), max(down)])
json.dump(words, sys.stdout)
