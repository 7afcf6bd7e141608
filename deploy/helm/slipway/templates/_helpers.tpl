{{- define "slipway.name" -}}
{{- printf "%s-slipway" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "slipway.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}

{{- define "slipway.selector" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "slipway.labels" -}}
{{ include "slipway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "slipway.serviceAccount" -}}
{{- default (include "slipway.name" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- /* The pod of a role: a dict of `root`, `role`, `args` and whether it `serves`. */ -}}
{{- define "slipway.pod" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
serviceAccountName: {{ if eq .role "migrate" }}default{{ else }}{{ include "slipway.serviceAccount" $root }}{{ end }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 60
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- if .serves }}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "slipway.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $.role }}
  {{- end }}
{{- end }}
containers:
  - name: slipway
    image: {{ include "slipway.image" $root | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: {{ toJson .args }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    env:
      - { name: DATABASE_URL_FILE, value: /run/secrets/slipway/database-url }
      - { name: SLIPWAY_CLOUD, value: aws }
      - { name: SLIPWAY_AWS_ACCOUNT_ID, value: {{ $values.awsAccountId | quote }} }
      - { name: SLIPWAY_PUBLIC_URL, value: {{ $values.publicUrl | quote }} }
      # The volumes belong to root: Slipway keeps its files in folders of its own inside.
      - { name: SLIPWAY_DATA_DIR, value: /var/lib/slipway/data }
      - { name: SLIPWAY_SEALING_KEYS, value: /var/lib/slipway-keys/keys }
      {{- if .serves }}
      - { name: SLIPWAY_ROLE, value: {{ .role }} }
      {{- end }}
      {{- if eq .role "api" }}
      - { name: SLIPWAY_API_KEY_FILE, value: /run/secrets/slipway/api-key }
      {{- end }}
      {{- range $name, $value := $values.env }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
    {{- if .serves }}
    ports:
      - { name: http, containerPort: 4000 }
    startupProbe:
      httpGet: { path: /readyz, port: http }
      periodSeconds: 2
      failureThreshold: 90
    readinessProbe:
      httpGet: { path: /readyz, port: http }
      periodSeconds: 5
      timeoutSeconds: 3
    livenessProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    {{- end }}
    resources: {{ toYaml .resources | nindent 6 }}
    volumeMounts:
      - { name: secrets, mountPath: /run/secrets/slipway, readOnly: true }
      - { name: data, mountPath: /var/lib/slipway }
      - { name: tmp, mountPath: /tmp }
      {{- if .serves }}
      - { name: keys, mountPath: /var/lib/slipway-keys }
      {{- end }}
volumes:
  - name: secrets
    secret:
      secretName: {{ $values.existingSecret }}
      defaultMode: 0440
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
  {{- if .serves }}
  - name: keys
    persistentVolumeClaim: { claimName: {{ $values.keys.existingClaim }} }
  {{- end }}
{{- end -}}
