"""Reads exported files with well-known Python readers and prints what they hold as JSON: independent of the code that wrote them."""

import csv
import json
import sys
from pathlib import Path

import openpyxl
from lxml import etree


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, strict=True))


def read_xml(path):
    root = etree.parse(path).getroot()
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


def read_xlsx(path):
    book = openpyxl.load_workbook(path)
    formulas = [cell for row in book["export"].iter_rows() for cell in row if cell.data_type == "f"]
    assert formulas == []
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


folder = Path(sys.argv[1])
json.dump(
    {
        "csv": read_csv(folder / "export.csv"),
        "xml": read_xml(folder / "export.xml"),
        "xlsx": read_xlsx(folder / "export.xlsx"),
    },
    sys.stdout,
)
