"""Reads Kubernetes manifests from standard input; prints JSON: the documents, and what is wrong with them.

Each is checked strictly against the schema of its kind in Kubernetes 1.34; kinds of operators (KEDA, Prometheus) have none there.
"""

import json
import sys

import kubernetes_validate
import yaml

VERSION = "1.34"
BUILT_IN = ("v1", "apps/v1", "batch/v1", "policy/v1", "autoscaling/v2", "networking.k8s.io/v1", "rbac.authorization.k8s.io/v1")

documents = [document for document in yaml.safe_load_all(sys.stdin) if document]
problems = []
for document in documents:
    name = f"{document.get('kind')}/{document.get('metadata', {}).get('name')}"
    if document.get("apiVersion") not in BUILT_IN:
        continue
    try:
        kubernetes_validate.validate(document, VERSION, strict=True)
    except kubernetes_validate.ValidationError as error:
        problems.append(f"{name}: {error}")
print(json.dumps({"documents": documents, "problems": problems}, default=str))
