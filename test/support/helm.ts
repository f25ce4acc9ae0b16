/**
 * Helm for tests of the chart: the program that the variable HELM names, that of this machine, or that of the devDependency
 * @aws-cdk/asset-kubectl-v20, which contains Helm 3.8.1 of the Helm project for x64.
 */
import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { fromBuffer, type Entry, type Options, type ZipFile } from 'yauzl'

const openZip = promisify<Buffer, Options, ZipFile>(fromBuffer)
const KUBERNETES = '1.33.0'
export const CHART = join(import.meta.dirname, '../../deploy/helm/counterproof-central')

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: unknown
  readonly data?: Readonly<Record<string, string>>
}

export interface Helm {
  /** Exit status and messages of a command. */
  readonly run: (args: readonly string[]) => {
    readonly status: number | null
    readonly said: string
    readonly printed: string
  }
  /** The objects of the chart with these values. Throws what Helm says. */
  readonly render: (values: object) => Manifest[]
  readonly close: () => void
}

/** Null: there is none for this processor. */
export async function openHelm(): Promise<Helm | null> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-helm-'))
  const close = () => rmSync(folder, { recursive: true, force: true })
  const program = process.env.HELM ?? (isInstalled() ? 'helm' : await unpack(join(folder, 'helm')))
  if (program === null) {
    close()
    return null
  }
  const run: Helm['run'] = (args) => {
    const { status, stderr, stdout, error } = spawnSync(program, args, {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
      env: { PATH: process.env.PATH, HOME: folder, HELM_NAMESPACE: 'proofs' },
    })
    if (error) throw error
    return { status, said: stderr, printed: stdout }
  }
  return {
    run,
    render: (values) => {
      const file = join(folder, 'values.json')
      writeFileSync(file, JSON.stringify(values))
      const { status, said, printed } = run([
        'template',
        'bank',
        CHART,
        '--kube-version',
        KUBERNETES,
        '-f',
        file,
      ])
      if (status !== 0) throw new Error(said)
      return parseAllDocuments(printed, { uniqueKeys: true })
        .map((each) => {
          if (each.errors.length > 0) throw each.errors[0]
          return each.toJS() as Manifest | null
        })
        .filter((each) => each !== null)
    },
    close,
  }
}

function isInstalled(): boolean {
  return spawnSync('helm', ['version', '--short']).status === 0
}

async function unpack(to: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const home = dirname(createRequire(import.meta.url).resolve('@aws-cdk/asset-kubectl-v20/package.json'))
  const zip = await openZip(readFileSync(join(home, 'lib/layer.zip')), { lazyEntries: true })
  const entry = await new Promise<Entry>((resolve, reject) => {
    zip.on('entry', (each: Entry) => (each.fileName === 'helm/helm' ? resolve(each) : zip.readEntry()))
    zip.once('end', () => reject(new Error('the package has no helm')))
    zip.once('error', reject)
    zip.readEntry()
  })
  const content = await promisify(
    zip.openReadStream.bind(zip) as (
      entry: Entry,
      done: (error: Error | null, stream: NodeJS.ReadableStream) => void,
    ) => void,
  )(entry)
  await pipeline(content, createWriteStream(to, { mode: 0o700 }))
  return to
}
