{{- define "glossator.labels" -}}
app.kubernetes.io/name: glossator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
