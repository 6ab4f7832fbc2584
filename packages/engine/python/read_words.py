"""Reads a gray picture with PP-OCR, whose models come with the package rapidocr.

Input: a file descriptor on standard input that holds a TIFF. Output: JSON, a list of
[text, confidence 0..1, left, top, right, bottom] for each word, in pixels.
"""

import json
import sys

import cv2
import numpy
from rapidocr import RapidOCR

picture = cv2.imdecode(numpy.frombuffer(sys.stdin.buffer.read(), numpy.uint8), cv2.IMREAD_COLOR)
engine = RapidOCR(
    params={
        "Global.log_level": "critical",
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
