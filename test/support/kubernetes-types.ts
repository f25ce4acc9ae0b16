/** Checks manifests by the types that kubernetes-models makes of the API of Kubernetes: unknown, missing and wrong members. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './helm.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')
const COMPILER = join(MODULES, 'typescript-native/bin/tsc')
const OPTIONS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext --target es2022'

/** One line for each problem. */
export function findProblems(manifests: readonly Manifest[]): string[] {
  // A folder below node_modules, so that the compiler finds the types.
  mkdirSync(join(MODULES, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(MODULES, '.cache/manifests-'))
  try {
    const text = manifests.map((manifest, at) => {
      const { apiVersion, kind } = manifest
      const name = `${toPackage(apiVersion)}/${kind}`
      return `import type { I${kind} as T${at} } from '${name}'\nexport const m${at}: T${at} = ${JSON.stringify(manifest, null, 1)}\n`
    })
    writeFileSync(join(folder, 'manifests.ts'), text.join(''))
    const { stdout, status } = spawnSync(
      process.execPath,
      [COMPILER, ...OPTIONS.split(' '), 'manifests.ts'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    return status === 0 ? [] : stdout.trim().split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function toPackage(apiVersion: string): string {
  return apiVersion.startsWith('monitoring.coreos.com/')
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`
}
