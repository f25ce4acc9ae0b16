/**
 * `npm run client -- pack`: packs the API's client as an npm package, for relying services that call the
 * appliance. Its types are generated from the OpenAPI description; its npm dependencies are bundled.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenAPI3 } from 'openapi-typescript'
import { describeApi } from '../api/openapi.ts'
import { PROBLEMS } from '../http/problems.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { ROOT, makeNpmPackage, runPackCommand, tarballName, readVersion } from './npm-package.ts'

const NAME = 'counterproof-client'
const BUNDLED = ['openapi-fetch', 'standardwebhooks'] as const
/** Headers that the client sends itself, or that are not meant for it. */
const HEADERS_OF_THE_CLIENT = new Set(['User-Agent', 'X-Forwarded-For', 'Tenant-Role'])

const USAGE = `Usage: npm run client -- pack [--out FOLDER]

Makes the npm package ${NAME}: a typed client of the API (/v1), generated from its OpenAPI description.

  --out FOLDER  folder of the package (default: out/${NAME}). An earlier package there is replaced; other files are not
                touched. Every user of this machine can read the package: it holds nothing private
  --help        prints this text

Install the tarball in it ('npm install FOLDER/${tarballName(NAME)}'): that needs no network. README.md shows its use.

Example: npm run client -- pack --out /tmp/${NAME}
`

export function run(argv: string[]): Promise<number> {
  return runPackCommand({ command: 'client', name: NAME, usage: USAGE, make: packClient }, argv)
}

function packClient(out: string): Promise<string | null> {
  return makeNpmPackage(
    {
      name: NAME,
      entries: ['client/index.ts'],
      rootDir: '',
      generate: async () => ({ 'client/api.ts': await generateTypes() }),
      files: {
        'package.json': `${JSON.stringify(manifest(), null, 2)}\n`,
        'README.md': readFileSync(join(ROOT, 'client', 'README.md'), 'utf8'),
        LICENSE: readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
      },
      bundled: BUNDLED,
    },
    out,
  )
}

/** Generates the types of every operation, message and problem code. */
async function generateTypes(): Promise<string> {
  const { default: generate, astToString } = await import('openapi-typescript')
  const { default: ts } = await import('typescript')
  const blob = ts.factory.createTypeReferenceNode('Blob')
  const types = await generate(describeForClient(), {
    silent: true,
    // A file is a Blob in TypeScript; the generator would write `string`.
    transform: (schema) => (schema.format === 'binary' ? blob : undefined),
  })
  const codes = Object.keys(PROBLEMS).map((code) => `'${code}'`)
  return `${astToString(types)}\n/** End of the \`type\` of a problem document. */\nexport type ProblemCode = ${codes.join(' | ')}\n`
}

/** The description without the headers that the client sends itself, so that callers need not name them. */
function describeForClient() {
  return JSON.parse(JSON.stringify(describeApi()), (key, value: unknown) =>
    key === 'parameters' && Array.isArray(value)
      ? value.filter(
          (parameter: { readonly name?: string }) => !HEADERS_OF_THE_CLIENT.has(parameter.name ?? ''),
        )
      : value,
  ) as OpenAPI3
}

function manifest() {
  return {
    name: NAME,
    version: PRODUCT_VERSION,
    description: 'Typed client of the Counterproof API: calls, problems, polling, webhooks.',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '^20.19.0 || >=22.12.0' },
    exports: { '.': { types: './dist/client/index.d.ts', default: './dist/client/index.js' } },
    types: './dist/client/index.d.ts',
    files: ['dist', 'LICENSE', 'README.md'],
    dependencies: Object.fromEntries(BUNDLED.map((name) => [name, readVersion(name)])),
    bundleDependencies: BUNDLED,
  }
}
