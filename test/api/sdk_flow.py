"""The whole flow through the Python package rossum-api, unchanged: base URL and login are all it is given.

Arguments: base URL (ending in /api), user name, password, folder with invoice-en.pdf and invoice-de.pdf, folder for results.
Prints one JSON object of what it saw. Any failure of the package is an exception and a non-zero exit code.
"""

import json
import sys
from pathlib import Path

from rossum_api import SyncRossumAPIClient
from rossum_api.domain_logic.annotations import ExportFileFormats
from rossum_api.domain_logic.resources import Resource
from rossum_api.dtos import UserCredentials
from rossum_api.models import deserialize_default

NEW_NUMBER = "SDK-4711"


def datapoints(node):
    """All datapoints of a content tree as the package gives it: lists, dictionaries or objects."""
    if isinstance(node, list):
        for child in node:
            yield from datapoints(child)
    elif node.get("category") == "datapoint":
        yield node
    else:
        yield from datapoints(node.get("children") or [])


def raw_annotations(resource, payload):
    """The JSON export of the API is no Annotation of the package: read it as it is."""
    return payload if resource == Resource.Annotation else deserialize_default(resource, payload)


def main():
    base, username, password, samples, results = sys.argv[1:]
    samples, results = Path(samples), Path(results)
    client = SyncRossumAPIClient(f"{base}/v1", UserCredentials(username, password))

    queues = list(client.list_queues())
    queue = queues[0]

    # The legacy endpoint answers annotations at once.
    (legacy_id,) = client.import_document(queue.id, [(samples / "invoice-en.pdf", "legacy invoice.pdf")])
    legacy = client.poll_annotation_until_imported(legacy_id, sleep_s=1)

    # The present one answers a task, whose upload names the annotations.
    (task,) = client.upload_document(
        queue.id, [(samples / "invoice-de.pdf", "Rechnung Nr. 1.pdf")], metadata={"source": "sdk"}
    )
    task = client.poll_task_until_succeeded(task.id, sleep_s=1)
    upload = client.retrieve_upload(int(task.result_url.split("/")[-1]))
    upload_id = int(upload.annotations[0].split("/")[-1])
    uploaded = client.poll_annotation_until_imported(upload_id, sleep_s=1, sideloads=["content"])
    document = client.retrieve_document(int(uploaded.document.split("/")[-1]))
    document_bytes = client.retrieve_document_content(document.id)

    # Review one of them.
    content = client.retrieve_annotation(legacy_id, ["content"]).content
    number = next(point for point in datapoints(content) if point["schema_id"] == "document_id")
    client.start_annotation(legacy_id)
    reviewing = client.retrieve_annotation(legacy_id)
    client.bulk_update_annotation_data(
        legacy_id,
        [
            {
                "op": "replace",
                "id": number["id"],
                "value": {"content": {"value": NEW_NUMBER}, "validation_sources": ["human"]},
            }
        ],
    )
    edited = next(
        point
        for point in datapoints(client.retrieve_annotation(legacy_id, ["content"]).content)
        if point["schema_id"] == "document_id"
    )
    client.confirm_annotation(legacy_id)
    exported = client.poll_annotation(legacy_id, lambda annotation: annotation.status == "exported", sleep_s=1)

    # Export to files and to JSON.
    for export_format in ExportFileFormats:
        chunks = client.export_annotations_to_file(queue.id, export_format, id=legacy_id)
        (results / f"export.{export_format.value}").write_bytes(b"".join(chunks))
    reader = SyncRossumAPIClient(f"{base}/v1", UserCredentials(username, password), deserializer=raw_annotations)
    rows = list(reader.export_annotations_to_json(queue.id, id=legacy_id))

    # The other one: everything else that the package does with annotations.
    client.start_annotation(upload_id)
    client.cancel_annotation(upload_id)
    cancelled = client.retrieve_annotation(upload_id).status
    patched = client.update_part_annotation(upload_id, {"metadata": {"checked": True}, "messages": []})
    put = client.update_annotation(
        upload_id, {"document": uploaded.document, "queue": uploaded.queue, "status": "postponed"}
    )
    duration = client.retrieve_annotation_processing_duration(upload_id)
    sideloaded = list(
        client.list_annotations(
            sideloads=["content", "automation_blockers", "documents", "modifiers"],
            content_schema_ids=["document_id", "amount_total"],
            id=upload_id,
        )
    )[0]
    with_related = client.retrieve_annotation(upload_id, ["documents", "automation_blockers"])
    relation = client.create_new_relation({"type": "attachment", "annotations": [uploaded.url]})
    relations = [one.id for one in client.list_relations(type="attachment")]
    client.delete_annotation(upload_id)
    deleted = client.retrieve_annotation(upload_id).status
    restored = client.update_part_annotation(upload_id, {"status": "to_review"}).status

    listed = list(client.list_annotations(status="exported", ordering=["-arrived_at"]))
    print(
        json.dumps(
            {
                "queues": [queue.name for queue in queues],
                "legacy": {"status": legacy.status, "extracted": number["content"]["value"]},
                "task": {"status": task.status.value, "type": task.type.value},
                "upload": {
                    "status": uploaded.status,
                    "metadata": uploaded.metadata,
                    "datapoints": len(list(datapoints(uploaded.content))),
                    "file_name": document.original_file_name,
                    "bytes": len(document_bytes),
                },
                "reviewing": {"status": reviewing.status, "modifier": bool(reviewing.modifier)},
                "annotation": {
                    "cancelled": cancelled,
                    "patched": [patched.metadata, patched.messages],
                    "put": [put.status, put.metadata],
                    "duration": duration.time_spent_overall,
                    "sideloaded": {
                        "content": sorted(point["schema_id"] for point in sideloaded.content),
                        "document": sideloaded.document.original_file_name,
                        "blocker": [{"level": one.level, "type": one.type} for one in sideloaded.automation_blocker.content],
                        "modifier": bool(sideloaded.modifier.username),
                    },
                    "related": with_related.document.original_file_name,
                    "relations": relations == [relation.id],
                    "deleted": deleted,
                    "restored": restored,
                },
                "edited": edited["content"]["value"],
                "exported": exported.status,
                "export_values": {
                    point["schema_id"]: point["value"] for row in rows for point in datapoints(row["content"])
                },
                "export_rows": len(rows),
                "listed": [annotation.id for annotation in listed] == [legacy_id],
            }
        )
    )


main()
