{{- define "central.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "central.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: instance
{{- end }}

{{- define "central.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* Every template calls it, so that a missing value ends the rendering with its sentence. */}}
{{- define "central.check" -}}
{{- $v := .Values }}
{{- if not $v.image.repository }}{{ fail "image.repository is missing: the repository of your registry with the image that `npm run package:image` makes" }}{{ end }}
{{- if not (or $v.image.tag $v.image.digest) }}{{ fail "image.tag is missing: the tag of this build in your registry, or set image.digest" }}{{ end }}
{{- if not $v.database.secretName }}{{ fail "database.secretName is missing: a Secret with DATABASE_URL" }}{{ end }}
{{- if not $v.masterKey.secretName }}{{ fail "masterKey.secretName is missing: a Secret with the key file centre.key (deploy/README.md, \"On Kubernetes\")" }}{{ end }}
{{- if not (or $v.trustedProxies $v.tls.secretName) }}{{ fail "trustedProxies is missing: the networks of the ingress controller that brings TLS. Or set tls.secretName, and the instances bring TLS themselves" }}{{ end }}
{{- if and $v.networkPolicy.enabled (not $v.networkPolicy.from) }}{{ fail "networkPolicy.from is missing: who reaches the instances, usually the namespace of the ingress controller. Or set networkPolicy.enabled to false, and every pod of the cluster reaches them" }}{{ end }}
{{- if and $v.ingress.enabled (not $v.ingress.host) }}{{ fail "ingress.host is missing: the name under which kiosks reach the central service" }}{{ end }}
{{- if and $v.metrics.serviceMonitor.enabled (not $v.metrics.secretName) }}{{ fail "metrics.secretName is missing: without a token there are no metrics for the ServiceMonitor" }}{{ end }}
{{- $c := $v.config }}
{{- $storage := default dict $c.storage }}
{{- $oidc := default dict (default dict $c.staff).oidc }}
{{- if and (eq (default "" $storage.kind) "s3") (not $v.s3.secretName) }}{{ fail "s3.secretName is missing: a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" }}{{ end }}
{{- if and $v.oidc.secretName (not $oidc) }}{{ fail "config.staff.oidc is missing: oidc.secretName is its client secret" }}{{ end }}
{{- if and $v.releaseKeys.files (not $v.releaseKeys.configMapName) }}{{ fail "releaseKeys.configMapName is missing: a ConfigMap with the files of releaseKeys.files" }}{{ end }}
{{- range $name, $instead := dict "host" "nothing" "port" "nothing" "tls" "tls.secretName" "masterKeyFile" "masterKey.secretName" "trustedProxies" "trustedProxies" "releaseKeys" "releaseKeys" }}
{{- if hasKey $c $name }}{{ fail (printf "config.%s is set by this chart: use %s" $name $instead) }}{{ end }}
{{- end }}
{{- if hasKey (default dict $c.http) "leaveSeconds" }}{{ fail "config.http.leaveSeconds is set by this chart: use leaveSeconds" }}{{ end }}
{{- if or (default dict $c.database).url (default dict $c.database).listenUrl }}{{ fail "config.database holds an address with a password, and config becomes a ConfigMap: use database.secretName" }}{{ end }}
{{- if (default dict $c.headOffice).metricsToken }}{{ fail "config.headOffice.metricsToken is a secret, and config becomes a ConfigMap: use metrics.secretName" }}{{ end }}
{{- if $storage.secretAccessKeyFile }}{{ fail "config.storage.secretAccessKeyFile is set by this chart: use s3.secretName" }}{{ end }}
{{- if $oidc.clientSecretFile }}{{ fail "config.staff.oidc.clientSecretFile is set by this chart: use oidc.secretName" }}{{ end }}
{{- end }}

{{- define "central.json" -}}
{{- $config := deepCopy .Values.config }}
{{- if .Values.tls.secretName }}{{ $_ := set $config "tls" (dict "certificateFile" "/tls/tls.crt" "keyFile" "/tls/tls.key") }}{{ end }}
{{- if .Values.oidc.secretName }}{{ $_ := set $config.staff.oidc "clientSecretFile" "/oidc/client-secret" }}{{ end }}
{{- if .Values.releaseKeys.files }}
{{- $paths := list }}
{{- range .Values.releaseKeys.files }}{{ $paths = append $paths (printf "/release-keys/%s" .) }}{{ end }}
{{- $_ := set $config "releaseKeys" $paths }}
{{- end }}
{{- toPrettyJson $config }}
{{- end }}

{{- define "central.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag }}{{ end }}{{ end }}
{{- end }}

{{- /* The pod level "restricted" of Kubernetes. 10001 is the user of the image. */}}
{{- define "central.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
initContainers:
  # A Secret is a file that a group may read; the service takes a key file that only its own user can read.
  - name: key
    image: {{ include "central.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: [install, -D, -m, '0600', /secret/centre.key, /keys/own/centre.key]
    securityContext: {{ include "central.container" . | nindent 6 }}
    resources:
      requests: { cpu: 10m, memory: 16Mi }
      limits: { memory: 64Mi }
    volumeMounts:
      - { name: master-key, mountPath: /secret, readOnly: true }
      - { name: keys, mountPath: /keys }
{{- end }}

{{- define "central.container" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "central.env" -}}
- { name: NODE_ENV, value: production }
# Buffers of packets are freed by small collections before they cause full ones (server/central/README.md, "Load").
- { name: NODE_OPTIONS, value: --max-semi-space-size=2 }
- { name: CENTRE_KEY_FILE, value: /keys/own/centre.key }
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.secretName }}, key: DATABASE_URL } }
- name: DATABASE_LISTEN_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.secretName }}, key: DATABASE_LISTEN_URL, optional: true } }
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "central.mounts" -}}
- { name: keys, mountPath: /keys, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "central.volumes" -}}
- name: master-key
  secret:
    secretName: {{ .Values.masterKey.secretName }}
    defaultMode: 288 # 0440
    items: [{ key: {{ .Values.masterKey.key }}, path: centre.key }]
- name: keys
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
