"""Reads a gray picture with PP-OCR, whose models come with the package rapidocr.

Argument: how much memory it may take, in bytes. Input: a file descriptor on standard input that holds a TIFF. Output: JSON, a list of
[text, confidence 0..1, left, top, right, bottom] for each word, in pixels.
"""

import json
import math
import resource
import sys
import unicodedata

# Before anything is loaded: what takes more fails, instead of taking the memory of whoever asked.
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[1]), int(sys.argv[1])))

import cv2
import numpy
from rapidocr import RapidOCR

# So many pixels of a picture are looked at: memory and time grow with them. A page of A4 has 1600 at its longer side.
MOST_PIXELS = 1600 * 1131


def side_for(picture):
    """Longest side of a picture with as many pixels as are looked at: receipts are long, and lose their small type first."""
    height, width = picture.shape[:2]
    return max(1600, int(max(height, width) * math.sqrt(MOST_PIXELS / (height * width))))


def plain(text):
    """Wide forms as they are printed here; these brackets stand without spaces."""
    return unicodedata.normalize("NFKC", text.replace("\uff08", " (").replace("\uff09", ") "))


def words_of(text, parts):
    """Words of a line as its text is spaced. The parts it is cut into are single letters where one of them is of wide form."""
    letters = [
        (letter, confidence, left + (right - left) * at / len(part), top, left + (right - left) * (at + 1) / len(part), bottom)
        for part, confidence, left, top, right, bottom in parts
        for at, letter in enumerate(part)
    ]
    spaced = plain(text).split()
    if "".join(spaced) != "".join(letter[0] for letter in letters):
        return parts
    words = []
    for word in spaced:
        own, letters = letters[: len(word)], letters[len(word) :]
        confidence = min(letter[1] for letter in own)
        words.append(
            [word, confidence, own[0][2], min(letter[3] for letter in own), own[-1][4], max(letter[5] for letter in own)]
        )
    return words


picture = cv2.imdecode(numpy.frombuffer(sys.stdin.buffer.read(), numpy.uint8), cv2.IMREAD_COLOR)
engine = RapidOCR(
    params={
        "Global.log_level": "critical",
        "Global.max_side_len": side_for(picture),
        # Other processes have the other cores.
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
)
# The picture is upright.
read = engine(picture, use_cls=False, return_word_box=True)
words = []
for text, line in zip(read.txts or [], read.word_results or []):
    parts = []
    for part, confidence, corners in line:
        if not part.strip() or corners is None:
            continue
        across = [float(x) for x, _ in corners]
        down = [float(y) for _, y in corners]
        part = plain(part).replace(" ", "")
        parts.append([part, round(float(confidence), 3), min(across), min(down), max(across), max(down)])
    words += words_of(text, parts)
json.dump(words, sys.stdout)
