"""Reads exported files with Python's own readers and prints what they hold as JSON: independent of the code that wrote them."""

import csv
import json
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, strict=True))


def read_xml(path):
    root = ET.parse(path).getroot()
    return {
        "annotations": [
            {
                "url": item.get("url"),
                "status": item.findtext("status"),
                "file_name": item.findtext("document/file_name"),
                "values": {
                    node.get("schema_id"): node.text or ""
                    for section in item.find("content")
                    for node in section.findall("datapoint")
                },
                "rows": [
                    {node.get("schema_id"): node.text or "" for node in row}
                    for row in item.iterfind(".//multivalue[@schema_id='line_items']/tuple")
                ],
            }
            for item in root.find("results")
        ],
        "total": root.findtext("pagination/total"),
    }


def read_xlsx_with_openpyxl(path, openpyxl):
    book = openpyxl.load_workbook(path)
    rows = [
        [
            cell.value.date().isoformat() if cell.is_date and cell.value else cell.value
            for cell in row
        ]
        for row in book["export"].iter_rows()
    ]
    return {"sheets": book.sheetnames, "rows": [without_empty_end(row) for row in rows]}


def without_empty_end(row):
    while row and row[-1] is None:
        row = row[:-1]
    return row


def read_xlsx_by_hand(path):
    """Enough for what an export writes: numbers, dates (style 1) and strings in their cells."""
    import datetime
    import re

    with zipfile.ZipFile(path) as book:
        assert book.testzip() is None
        sheets = ET.fromstring(book.read("xl/workbook.xml")).iter(MAIN + "sheet")
        names = [sheet.get("name") for sheet in sheets]
        sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert next(sheet.iter(MAIN + "f"), None) is None
    rows = []
    for row in sheet.iter(MAIN + "row"):
        cells = {}
        for cell in row.iter(MAIN + "c"):
            letters = re.match("[A-Z]+", cell.get("r")).group()
            column = 0
            for letter in letters:
                column = column * 26 + ord(letter) - 64
            if cell.get("t") == "str":
                value = cell.findtext(MAIN + "v")
            elif cell.get("s") == "1":
                value = (
                    datetime.date(1899, 12, 30)
                    + datetime.timedelta(days=int(cell.findtext(MAIN + "v")))
                ).isoformat()
            else:
                value = float(cell.findtext(MAIN + "v"))
            cells[column] = value
        rows.append([cells.get(i + 1) for i in range(max(cells, default=0))])
    return {"sheets": names, "rows": rows}


def read_xlsx(path):
    try:
        import openpyxl
    except ImportError:
        return read_xlsx_by_hand(path)
    return read_xlsx_with_openpyxl(path, openpyxl)


folder = Path(sys.argv[1])
json.dump(
    {
        "csv": read_csv(folder / "export.csv"),
        "xml": read_xml(folder / "export.xml"),
        "xlsx": read_xlsx(folder / "export.xlsx"),
    },
    sys.stdout,
)
