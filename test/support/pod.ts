/**
 * Runs the containers of a pod on this machine, in bubblewrap, as Kubernetes runs them: their user, no capability, a root that they
 * cannot write, their volumes with the owners and modes that the kubelet gives them, their variables. The image is this checkout with the variables of deploy/image/Dockerfile.
 * Needs root, because the files belong to other users.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const SYSTEM = [
  '/usr',
  '/bin',
  '/lib',
  '/lib64',
  '/etc/ld.so.cache',
  '/etc/group',
  '/etc/resolv.conf',
  '/etc/hosts',
]
export const podReason: string | null =
  process.getuid?.() !== 0
    ? 'needs root'
    : spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status !== 0
      ? 'bubblewrap is not installed'
      : (statSync(join(ROOT, 'server')).mode & 0o005) === 0o005
        ? null
        : 'other users may not read this checkout'

interface Container {
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: {
      readonly secretKeyRef: { readonly name: string; readonly key: string; readonly optional?: boolean }
    }
  }[]
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean }
  readonly volumeMounts: readonly {
    readonly name: string
    readonly mountPath: string
    readonly subPath?: string
    readonly readOnly?: boolean
  }[]
}
interface Source {
  readonly items?: readonly { readonly key: string; readonly path: string }[]
  readonly defaultMode?: number
}
export interface PodSpec {
  readonly securityContext: {
    readonly runAsUser: number
    readonly runAsGroup: number
    readonly fsGroup: number
  }
  readonly initContainers: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: Source & { readonly secretName: string }
    readonly configMap?: Source & { readonly name: string }
    readonly emptyDir?: { readonly medium?: string }
  }[]
}
/** Name → key → value, of Secrets and ConfigMaps. */
export type Objects = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface Pod {
  /** Runs the init containers to their end. Throws their output. */
  initialise(): void
  /** Runs the container to its end. Returns its exit status and output. */
  run(): { readonly status: number | null; readonly said: string }
  /** Starts the container. `stop` sends SIGTERM and returns the exit status. */
  start(): { stop(): Promise<number | null> }
  close(): void
}

export function layPod(spec: PodSpec, objects: Objects, more: Readonly<Record<string, string>> = {}): Pod {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-pod-'))
  chmodSync(folder, 0o755)
  const users = join(folder, 'passwd')
  writeFileSync(users, 'counterproof:x:10001:10001::/var/lib/counterproof-central:/usr/sbin/nologin\n')
  chmodSync(users, 0o644)
  const volumes = new Map(
    spec.volumes.map((volume) => [volume.name, layVolume(folder, volume, spec, objects)]),
  )
  const command = (container: Container): string[] => {
    const { runAsUser, runAsGroup, fsGroup } = spec.securityContext
    const mounts = container.volumeMounts.flatMap(({ name, mountPath, subPath, readOnly = false }) => [
      readOnly ? '--ro-bind' : '--bind',
      join(volumes.get(name) ?? '', subPath ?? ''),
      mountPath,
    ])
    const targets = [...SYSTEM, ...container.volumeMounts.map(({ mountPath }) => mountPath)]
    const parents = targets
      .flatMap((path) => [dirname(dirname(path)), dirname(path)])
      .filter((path) => path !== '/')
    return [
      // Container runtimes leave the folders of mounts open to all users; bubblewrap would close them.
      ...[...new Set(parents)].flatMap((path) => ['--perms', '0755', '--dir', path]),
      ...SYSTEM.flatMap((path) => ['--ro-bind', path, path]),
      ...[
        '--ro-bind',
        users,
        '/etc/passwd',
        '--ro-bind',
        ROOT,
        '/app',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
        '--chdir',
        '/',
        '--die-with-parent',
      ],
      ...mounts,
      ...(container.securityContext.readOnlyRootFilesystem ? ['--remount-ro', '/'] : []),
      ...['setpriv', `--reuid=${runAsUser}`, `--regid=${runAsGroup}`, `--groups=${fsGroup}`],
      ...['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
      ...(container.command ?? ['/app/node_modules/.bin/node', '/app/server/run.mjs', 'central']),
      ...(container.args ?? []),
    ]
  }
  const environment = ({ env = [] }: Container): Record<string, string> => {
    const own = env.flatMap(({ name, value, valueFrom }) => {
      const { secretKeyRef } = valueFrom ?? {}
      const found = secretKeyRef === undefined ? value : objects[secretKeyRef.name]?.[secretKeyRef.key]
      if (found === undefined && secretKeyRef?.optional !== true) throw new Error(`nothing is in ${name}`)
      return found === undefined ? [] : [[name, found]]
    })
    return {
      PATH: '/usr/bin:/bin',
      ...readImageVariables(),
      ...(Object.fromEntries(own) as Record<string, string>),
      ...more,
    }
  }
  const run = (container: Container) => {
    const { status, stdout, stderr } = spawnSync('bwrap', command(container), {
      env: environment(container),
      encoding: 'utf8',
    })
    return { status, said: stdout + stderr }
  }
  const started: ChildProcess[] = []
  const [container] = spec.containers
  if (container === undefined) throw new Error('the pod has no container')
  return {
    initialise: () => {
      for (const each of spec.initContainers) {
        const { status, said } = run(each)
        if (status !== 0) throw new Error(said)
      }
    },
    run: () => run(container),
    start: () => {
      const bwrap = spawn('bwrap', command(container), { env: environment(container), stdio: 'ignore' })
      started.push(bwrap)
      const ended = once(bwrap, 'exit') as Promise<[number | null]>
      return {
        stop: async () => {
          // bubblewrap passes no signal on.
          const [program] = readFileSync(`/proc/${bwrap.pid}/task/${bwrap.pid}/children`, 'utf8').split(' ')
          process.kill(Number(program), 'SIGTERM')
          return (await ended)[0]
        },
      }
    },
    close: () => {
      for (const each of started) each.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function readImageVariables(): Record<string, string> {
  const [, words = ''] = /^ENV (.+)$/m.exec(readFileSync(join(ROOT, 'deploy/image/Dockerfile'), 'utf8')) ?? []
  return Object.fromEntries(
    [...words.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>
}

/** Returns the path of the volume. Modes: kubelet, pkg/volume (emptydir, secret, configmap with its AtomicWriter, fsGroup). */
function layVolume(
  folder: string,
  volume: PodSpec['volumes'][number],
  spec: PodSpec,
  objects: Objects,
): string {
  const path = join(folder, volume.name)
  const { fsGroup } = spec.securityContext
  // Each folder takes its mode after the umask. A volume in memory is sticky.
  const makeFolder = (each: string, mode: number) => {
    mkdirSync(each)
    chownSync(each, 0, fsGroup)
    chmodSync(each, mode)
  }
  const source = volume.secret ?? volume.configMap
  makeFolder(path, volume.secret !== undefined || volume.emptyDir?.medium === 'Memory' ? 0o3777 : 0o2777)
  if (source === undefined) return path
  const content = objects[volume.secret?.secretName ?? volume.configMap?.name ?? ''] ?? {}
  makeFolder(join(path, '..2026_11_30'), 0o2755)
  symlinkSync('..2026_11_30', join(path, '..data'))
  const items = source.items ?? Object.keys(content).map((key) => ({ key, path: key }))
  for (const { key, path: name } of items) {
    const file = join(path, '..2026_11_30', name)
    const value = content[key]
    if (value === undefined) throw new Error(`the volume ${volume.name} misses ${key}`)
    writeFileSync(file, value)
    chownSync(file, 0, fsGroup)
    // The group of the pod may always read.
    chmodSync(file, (source.defaultMode ?? 0o644) | 0o440)
    symlinkSync(join('..data', name), join(path, name))
  }
  return path
}
