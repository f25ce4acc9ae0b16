/** The Helm chart of the central service: what it refuses, that Kubernetes takes it, and that its pod starts. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../server/tools/bench/crash/processes.ts'
import { PAGE_METHODS } from '../../server/central/head-office/http.ts'
import { BASE_PATH } from '../../server/central/head-office/routes.ts'
import { KIOSK_API } from '../../server/protocol/wire.ts'
import { CHART, openHelm, type Helm, type Manifest } from '../support/helm.ts'
import { findProblems } from '../support/kubernetes-types.ts'
import { layPod, podReason, type Objects, type PodSpec } from '../support/pod.ts'
import { postgresReason, startPostgres } from '../support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The values that the README shows. */
const LEAST = parse(/```yaml\n(image:[^`]+)```/.exec(read('deploy/README.md'))?.[1] ?? '') as Readonly<
  Record<'image' | 'database' | 'masterKey' | 'networkPolicy' | 'ingress', object>
>

const FULL = {
  ...LEAST,
  replicas: 3,
  image: { ...LEAST.image, digest: `sha256:${'0a'.repeat(32)}` },
  imagePullSecrets: [{ name: 'registry' }],
  init: true,
  config: {
    logLevel: 'warn',
    database: { connections: 20 },
    storage: { kind: 's3', endpoint: 'https://s3.example', bucket: 'proofs' },
    headOffice: { callsPerMinute: 900 },
    staff: {
      oidc: {
        address: 'https://central.example',
        issuer: 'https://login.example/realms/bank',
        clientId: 'counterproof-central',
        roles: [{ value: 'central-viewers', role: 'viewer', tenants: 'all' }],
      },
    },
  },
  tls: { secretName: 'central-tls' },
  s3: { secretName: 'central-s3' },
  oidc: { secretName: 'central-oidc' },
  releaseKeys: { configMapName: 'release-keys', files: ['vendor.pem'] },
  metrics: {
    secretName: 'central-metrics',
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  },
  service: { type: 'LoadBalancer', port: 443, annotations: { a: 'b' } },
  ingress: {
    enabled: true,
    className: 'haproxy',
    host: 'central.example',
    tlsSecretName: 'central-ingress-tls',
    annotations: { 'haproxy.org/timeout-server': '90s' },
  },
  networkPolicy: {
    ...LEAST.networkPolicy,
    metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
  },
  podAnnotations: { note: 'text' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'proofs', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/authorities/ca.pem' }],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/authorities', readOnly: true }],
}

const helm = await openHelm()
afterAll(() => helm?.close())
const reason = helm === null ? ' (skipped: no helm for this processor; set HELM to its path)' : ''

describe.skipIf(helm === null)(`the chart${reason}`, () => {
  const { render, run } = (helm ?? {}) as Helm
  const find = <T>(manifests: readonly Manifest[], kind: string): T =>
    manifests.find((each) => each.kind === kind) as T

  test('has the version of the product', () => {
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { appVersion: string }
    expect(chart.appVersion).toBe((JSON.parse(read('package.json')) as { version: string }).version)
  })

  const without = (...path: readonly string[]) => {
    const values = structuredClone(LEAST) as Record<string, unknown>
    let at = values
    for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>
    delete at[path.at(-1) ?? '']
    return values
  }
  test.each<[string, object, string]>([
    ['the image', {}, 'image.repository is missing'],
    ['the build', without('image', 'tag'), 'image.tag is missing'],
    ['the database', without('database'), 'database.secretName is missing'],
    ['the key file', without('masterKey'), 'masterKey.secretName is missing'],
    ['who brings TLS', without('trustedProxies'), 'trustedProxies is missing'],
    ['who may connect', without('networkPolicy'), 'networkPolicy.from is missing'],
    ['the name of the ingress', { ...LEAST, ingress: { enabled: true } }, 'ingress.host is missing'],
    ['the keys of S3', { ...LEAST, config: { storage: { kind: 's3' } } }, 's3.secretName is missing'],
    [
      'the token of the metrics',
      { ...LEAST, metrics: { serviceMonitor: { enabled: true } } },
      'metrics.secretName is missing',
    ],
    [
      'the provider of a client secret',
      { ...LEAST, oidc: { secretName: 'x' } },
      'config.staff.oidc is missing',
    ],
    [
      'the place of release keys',
      { ...LEAST, releaseKeys: { files: ['a.pem'] } },
      'releaseKeys.configMapName is missing',
    ],
  ])('names what is missing: %s', (_, values, sentence) => {
    expect(() => render(values)).toThrow(sentence)
  })

  test.each<[string, object, string]>([
    ['the password of the database', { database: { url: 'postgres://u:p@db/x' } }, 'use database.secretName'],
    [
      'the token of the metrics',
      { headOffice: { metricsToken: 'a-token-for-prometheus' } },
      'use metrics.secretName',
    ],
    ['a value that the chart sets', { masterKeyFile: 'my.key' }, 'use masterKey.secretName'],
  ])('refuses in the ConfigMap: %s', (_, config, sentence) => {
    expect(() => render({ ...LEAST, config })).toThrow(sentence)
  })

  test.each<[string, object]>([
    ['a misspelt value', { replica: 3 }],
    ['a single instance', { replicas: 1 }],
    ['a text for a number', { leaveSeconds: 'soon' }],
  ])('refuses %s', (_, values) => {
    expect(() => render({ ...LEAST, ...values })).toThrow("values don't meet the specifications")
  })

  test.each([
    ['the least values', LEAST],
    ['a full set of values', FULL],
  ])('is taken by Kubernetes with %s: every member exists and has its type', (_, values) => {
    const manifests = render(values)
    expect(findProblems(manifests)).toEqual([])
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    // Secrets are named and never made.
    expect(names.join()).not.toContain('Secret')
  })

  test('the check by types finds a misspelt, a missing and a wrong member', () => {
    const service = find<Manifest>(render(LEAST), 'Service')
    const wrong = (spec: object) =>
      findProblems([{ ...service, spec: { ...(service.spec as object), ...spec } }])
    expect(wrong({})).toEqual([])
    expect(wrong({ selectors: {} }).join()).toContain('"selectors"')
    expect(wrong({ ports: [{ name: 'http' }] }).join()).toContain('is missing')
    expect(wrong({ ports: [{ port: 'http' }] }).join()).toContain(
      "'string' is not assignable to type 'number'",
    )
  })

  test('passes helm lint', () => {
    expect(
      run([
        'lint',
        CHART,
        '--strict',
        '--set',
        'image.repository=x,image.tag=x,database.secretName=x,masterKey.secretName=x,trustedProxies={10.0.0.1},networkPolicy.enabled=false',
      ]),
    ).toMatchObject({ status: 0 })
  })

  test('asks for no right beyond the pod level "restricted", and for no token of Kubernetes', () => {
    const manifests = render(FULL)
    for (const kind of ['Deployment', 'Job']) {
      const { spec } = find<{ spec: { template: { spec: PodSpec & Readonly<Record<string, unknown>> } } }>(
        manifests,
        kind,
      )
      const pod = spec.template.spec
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(Object.keys(pod).filter((name) => name.startsWith('host'))).toEqual([])
      for (const container of [...pod.initContainers, ...pod.containers]) {
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { limits: { memory: expect.any(String) as unknown } },
        })
      }
    }
  })

  test('sets what the unit sets', () => {
    const { spec } = find<{ spec: { template: { spec: PodSpec } } }>(render(LEAST), 'Deployment')
    const env = spec.template.spec.containers[0]?.env?.map(({ name, value }) => `${name}=${value}`)
    const unit = read('deploy/systemd/counterproof-central.service')
    const names = [...unit.matchAll(/^Environment=(\w+=\S+)$/gm)].map(([, variable]) => variable)
    expect(names.length).toBeGreaterThan(2)
    // Kubernetes needs longer than HAProxy to see that an instance leaves.
    expect(env).toEqual(
      expect.arrayContaining(names.map((each) => each?.replace(/(LEAVE_SECONDS)=5/, '$1=10'))),
    )
    expect(unit).toContain('MemoryMax=4G')
    expect(spec.template.spec.containers[0]).toMatchObject({ resources: { limits: { memory: '4Gi' } } })
  })

  test('the ingress passes on every path of the service except /metrics', () => {
    const { spec } = find<{ spec: { rules: { http: { paths: { path: string }[] } }[] } }>(
      render(FULL),
      'Ingress',
    )
    const prefixes = spec.rules[0]?.http.paths.map(({ path }) => path).filter((path) => path !== '/') ?? []
    const isPassed = (path: string) =>
      prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    const paths = [KIOSK_API, BASE_PATH, '/assets/page.js', ...PAGE_METHODS.keys()]
    expect(paths.filter((path) => !isPassed(path))).toEqual([])
    expect(isPassed('/metrics')).toBe(false)
  })

  test('the alert rules are those of deploy/monitoring', () => {
    const { spec } = find<{ spec: unknown }>(render(FULL), 'PrometheusRule')
    expect(spec).toEqual(parse(read('deploy/monitoring/alerts.yml')))
  })

  const obstacle = podReason ?? postgresReason
  test.skipIf(obstacle !== null)(
    `its pod begins a new service, starts without writing anywhere, stays alive without its database, and leaves${obstacle === null ? '' : ` (${obstacle})`}`,
    async () => {
      const postgres = await startPostgres()
      const [port, { publicKey }] = [await freePort(), generateKeyPairSync('ed25519')]
      const manifests = render({
        ...FULL,
        tls: {},
        leaveSeconds: 1,
        extraEnv: [],
        extraVolumes: [],
        extraVolumeMounts: [],
      })
      const [config, job, deployment] = ['ConfigMap', 'Job', 'Deployment'].map((kind) =>
        find<Manifest>(manifests, kind),
      )
      const objects: Objects = {
        [config.metadata.name]: { 'central.json': config.data?.['central.json'] ?? '' },
        'central-database': { DATABASE_URL: postgres.createDatabase() },
        'central-key': { 'centre.key': `${'5e'.repeat(32)}\n` },
        'central-s3': { AWS_ACCESS_KEY_ID: 'AKIATESTTESTTEST', AWS_SECRET_ACCESS_KEY: 'test' },
        'central-oidc': { 'client-secret': 'a-secret' },
        'central-metrics': { token: 'a-token-for-prometheus' },
        'release-keys': { 'vendor.pem': publicKey.export({ type: 'spki', format: 'pem' }).toString() },
      }
      const lay = ({ spec }: Manifest) =>
        layPod((spec as { template: { spec: PodSpec } }).template.spec, objects, {
          CENTRE_PORT: String(port),
        })
      const [first, pod] = [lay(job), lay(deployment)]
      try {
        pod.initialise()
        // The job has not run: a key is beside an empty database.
        expect(pod.run()).toMatchObject({
          status: 1,
          said: expect.stringContaining('central -- init') as unknown,
        })
        first.initialise()
        expect(first.run()).toMatchObject({ status: 0, said: expect.stringContaining('centreId') as unknown })

        const running = pod.start()
        const ask = async (path: string, headers = {}) =>
          (await fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' }).catch(() => null))
            ?.status
        await expect.poll(() => ask('/healthcheck'), { timeout: 30_000 }).toBe(200)
        expect([await ask('/healthcheck/live'), await ask('/metrics')]).toEqual([200, 401])
        expect(await ask('/metrics', { authorization: 'Bearer a-token-for-prometheus' })).toBe(200)
        postgres.stopServer()
        expect([await ask('/healthcheck'), await ask('/healthcheck/live')]).toEqual([503, 200])
        postgres.startServer()
        await expect.poll(() => ask('/healthcheck'), { timeout: 10_000 }).toBe(200)
        expect(await running.stop()).toBe(0)
      } finally {
        first.close()
        pod.close()
        postgres.close()
      }
    },
  )
})
