{{- define "intake.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "intake.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Labels that pods of one service are found by. Takes {root, name}. */}}
{{- define "intake.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* What holds for one service: its own values over the defaults. Takes {root, name}; answers YAML. */}}
{{- define "intake.settings" -}}
{{- $own := index .root.Values.services .name | default dict -}}
{{- toYaml (mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own)) -}}
{{- end -}}

{{/* Image of one service. Takes {root, name}. */}}
{{- define "intake.image" -}}
{{- $image := .root.Values.image -}}
{{- printf "%s-%s:%s" $image.repository .name ($image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}

{{- define "intake.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "intake.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Secret value as environment variable. Takes {variable, secret, key}. */}}
{{- define "intake.secretEnv" -}}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ .secret | quote }}, key: {{ .key | quote }} } }
{{- end -}}

{{/* Environment that every service has, and the commands. */}}
{{- define "intake.env" -}}
- { name: INTAKE_HOST, value: "0.0.0.0" }
- { name: INTAKE_RPC_PORT, value: "7400" }
- { name: INTAKE_OPS_PORT, value: "7450" }
- { name: INTAKE_LOG_LEVEL, value: {{ .Values.logLevel | quote }} }
- { name: INTAKE_MONGODB_PREFIX, value: {{ .Values.mongodb.prefix | quote }} }
- { name: INTAKE_NATS_PREFIX, value: {{ .Values.nats.prefix | quote }} }
- { name: INTAKE_MAIL_DOMAIN, value: {{ .Values.mailDomain | quote }} }
- { name: INTAKE_S3_URL, value: {{ .Values.s3.url | quote }} }
- { name: INTAKE_S3_BUCKET, value: {{ .Values.s3.bucket | quote }} }
- { name: INTAKE_S3_REGION, value: {{ .Values.s3.region | quote }} }
{{- with .Values.publicUrl }}
- { name: INTAKE_PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- with .Values.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- $root := . }}
{{- range $name := keys .Values.services | sortAlpha }}
{{- if ne $name "gateway" }}
- { name: INTAKE_{{ $name | upper | replace "-" "_" }}_ADDRESS, value: "{{ include "intake.fullname" $root }}-{{ $name }}:7400" }
{{- end }}
{{- end }}
{{- with .Values.rpc.tls }}
{{- if .existingSecret }}
- { name: INTAKE_RPC_TLS_CA, value: {{ printf "/etc/intake/rpc-tls/%s" .caKey | quote }} }
- { name: INTAKE_RPC_TLS_CERT, value: {{ printf "/etc/intake/rpc-tls/%s" .certKey | quote }} }
- { name: INTAKE_RPC_TLS_KEY, value: {{ printf "/etc/intake/rpc-tls/%s" .keyKey | quote }} }
- { name: INTAKE_RPC_TLS_NAME, value: {{ .serverName | quote }} }
{{- end }}
{{- end }}
{{- with .Values.caBundle }}
{{- if .existingConfigMap }}
- { name: NODE_EXTRA_CA_CERTS, value: {{ printf "/etc/intake/ca/%s" .key | quote }} }
{{- end }}
{{- end }}
{{ include "intake.secretEnv" (dict "variable" "INTAKE_RPC_SECRET" "secret" .Values.rpc.existingSecret "key" .Values.rpc.secretKey) }}
{{ include "intake.secretEnv" (dict "variable" "INTAKE_MONGODB_URL" "secret" .Values.mongodb.existingSecret "key" .Values.mongodb.urlKey) }}
{{ include "intake.secretEnv" (dict "variable" "INTAKE_NATS_URL" "secret" .Values.nats.existingSecret "key" .Values.nats.urlKey) }}
{{- range .Values.secretEnv }}
{{ include "intake.secretEnv" (dict "variable" .name "secret" .secret "key" .key) }}
{{- end }}
{{- end -}}

{{/* All environment of one service, each name once: `env` and `secretEnv` win over what the chart sets. Takes {root, name}. */}}
{{- define "intake.serviceEnv" -}}
{{- $byName := dict -}}
{{- range concat (include "intake.ownEnv" . | fromYamlArray) (include "intake.env" .root | fromYamlArray) -}}
{{- $_ := set $byName .name . -}}
{{- end -}}
{{- range $name, $value := mergeOverwrite (deepCopy .root.Values.env) (include "intake.settings" . | fromYaml).env -}}
{{- /* Helm reads whole numbers of a file as fractions, and writes large ones as 3e+09. */ -}}
{{- $isWhole := and (kindIs "float64" $value) (eq (floor $value) $value) -}}
{{- $_ := set $byName $name (dict "name" $name "value" (ternary (printf "%.0f" (float64 $value)) (toString $value) $isWhole)) -}}
{{- end -}}
{{- range $name := keys $byName | sortAlpha }}
- {{ toJson (index $byName $name) }}
{{- end }}
{{- end -}}

{{/* Where pods of one service may run, and how important they are. Takes {root, name}. */}}
{{- define "intake.placement" -}}
{{- $settings := include "intake.settings" . | fromYaml -}}
{{- with $settings.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $settings.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $settings.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $settings.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Files that every pod has beside /tmp: their mounts. Takes {root, name}. */}}
{{- define "intake.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .root.Values.rpc.tls.existingSecret }}
- { name: rpc-tls, mountPath: /etc/intake/rpc-tls, readOnly: true }
{{- end }}
{{- if .root.Values.caBundle.existingConfigMap }}
- { name: ca-bundle, mountPath: /etc/intake/ca, readOnly: true }
{{- end }}
{{- if and (eq .name "mail-ingest") .root.Values.smtp.tls.existingSecret }}
- { name: smtp-tls, mountPath: /etc/intake/smtp-tls, readOnly: true }
{{- end }}
{{- end -}}

{{/* The volumes of these mounts. Takes {root, name, tmpSize}. */}}
{{- define "intake.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: {{ .tmpSize }} }
{{- with .root.Values.rpc.tls }}
{{- if .existingSecret }}
- name: rpc-tls
  secret: { secretName: {{ .existingSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- end }}
{{- with .root.Values.caBundle }}
{{- if .existingConfigMap }}
- name: ca-bundle
  configMap: { name: {{ .existingConfigMap | quote }} }
{{- end }}
{{- end }}
{{- if and (eq .name "mail-ingest") .root.Values.smtp.tls.existingSecret }}
- name: smtp-tls
  secret: { secretName: {{ .root.Values.smtp.tls.existingSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{/* Environment of single services. Takes {root, name}. */}}
{{- define "intake.ownEnv" -}}
{{- $values := .root.Values -}}
{{- if eq .name "gateway" }}
- { name: INTAKE_PORT, value: "8080" }
- { name: INTAKE_SESSION_AUTH, value: "on" }
- { name: INTAKE_TRUST_PROXY, value: {{ ternary "on" "off" $values.ingress.enabled | quote }} }
{{- else if eq .name "document-storage" }}
{{ include "intake.secretEnv" (dict "variable" "INTAKE_S3_ACCESS_KEY" "secret" $values.s3.existingSecret "key" $values.s3.accessKeyKey) }}
{{ include "intake.secretEnv" (dict "variable" "INTAKE_S3_SECRET_KEY" "secret" $values.s3.existingSecret "key" $values.s3.secretKeyKey) }}
{{- else if eq .name "mail-ingest" }}
- { name: INTAKE_SMTP_PORT, value: "2525" }
{{- if $values.smtp.tls.existingSecret }}
- { name: INTAKE_SMTP_TLS_CERT, value: /etc/intake/smtp-tls/tls.crt }
- { name: INTAKE_SMTP_TLS_KEY, value: /etc/intake/smtp-tls/tls.key }
{{- end }}
{{- end }}
{{- if and (has .name (list "auth" "mail-ingest")) $values.smtpRelay.existingSecret }}
- { name: INTAKE_MAIL_FROM, value: {{ $values.smtpRelay.from | quote }} }
{{ include "intake.secretEnv" (dict "variable" "INTAKE_SMTP_RELAY_URL" "secret" $values.smtpRelay.existingSecret "key" $values.smtpRelay.urlKey) }}
{{- end }}
{{- end -}}

{{/* Ports of one service: name -> number. Takes a name; answers YAML. */}}
{{- define "intake.ports" -}}
{{- if eq . "gateway" -}}
http: 8080
{{- else -}}
grpc: 7400
{{- if eq . "mail-ingest" }}
smtp: 2525
{{- end }}
{{- end }}
ops: 7450
{{- end -}}
