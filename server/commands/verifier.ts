/**
 * `npm run verifier -- pack`: packs the verifier of proofs as an npm package, for relying parties that run
 * nothing else of this product. Compiles what `verify-proof` imports; downloads nothing.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proofFileSchemas } from '../api/proof-schema.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { ROOT, makeNpmPackage, runPackCommand, tarballName, readVersion } from './npm-package.ts'

const NAME = 'counterproof-verify'
const ENTRIES = ['server/proof/verify.ts', 'server/proof/multipart.ts', 'server/commands/verify-proof.ts']
const DEPENDENCIES = ['asn1js', 'pkijs', 'zod'] as const

const USAGE = `Usage: npm run verifier -- pack [--out FOLDER]

Makes the npm package ${NAME}: the verifier of proofs as plain JavaScript with types, its command and its licence.

  --out FOLDER  folder of the package (default: out/${NAME}). An earlier package there is replaced; other files are not
                touched. Every user of this machine can read the package: it holds nothing private
  --help        prints this text

The folder can be published or installed ('npm install FOLDER') as it is. The tarball in it, ${tarballName(NAME)}, is the same
package for machines without a copy of this repository.

Example: npm run verifier -- pack --out /tmp/${NAME}
`

export function run(argv: string[]): Promise<number> {
  return runPackCommand({ command: 'verifier', name: NAME, usage: USAGE, make: packVerifier }, argv)
}

function packVerifier(out: string): Promise<string | null> {
  return makeNpmPackage({ name: NAME, entries: ENTRIES, rootDir: 'server', files: textFiles() }, out)
}

function textFiles(): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(), null, 2)}\n`,
    'README.md': README,
    'dist/index.js': INDEX,
    'dist/index.d.ts': INDEX,
    'bin/counterproof-verify.js': BIN,
    ...schemaFiles(),
    LICENSE: readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
  }
}

/** JSON Schema of each JSON file of the archive. */
function schemaFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(proofFileSchemas()).map(([file, schema]) => [
      `schema/${file.replace(/\.json$/, '.schema.json')}`,
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
  )
}

function manifest() {
  return {
    name: NAME,
    version: PRODUCT_VERSION,
    description: 'Verifies proofs of identity sealed by Counterproof: offline, with public keys or a CA.',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '^20.19.0 || >=22.12.0' },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './schema/*': './schema/*',
    },
    types: './dist/index.d.ts',
    bin: { [NAME]: './bin/counterproof-verify.js' },
    files: ['bin', 'dist', 'schema', 'LICENSE', 'README.md'],
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, `^${readVersion(name)}`])),
  }
}

const INDEX = `export * from './proof/verify.js'
export { extractArchive } from './proof/multipart.js'
`

const BIN = `#!/usr/bin/env node
import { run } from '../dist/commands/verify-proof.js'

process.exitCode = await run(process.argv.slice(2), '${NAME}')
`

const README = `# ${NAME}

Is this archive a whole proof, sealed by this appliance? Works offline; trusts nothing but what you give it.

\`\`\`js
import { readFile } from 'node:fs/promises'
import { extractArchive, verifyProof } from '${NAME}'

const archive = extractArchive(await readFile('proof.zip')) // a zip, or the body of GET …/proof
const jwks = JSON.parse(await readFile('jwks.json', 'utf8')) // obtained from the service, not from the archive
const report = await verifyProof(archive ?? new Uint8Array(), { jwks })
if (!report.valid) for (const { code, message } of report.problems) console.error(code, message)
else console.log(report.proofId, report.levelOfAssurance, report.sealedAt, report.notes)
\`\`\`

\`verifyProof\` never throws for a bad archive: every reason is a problem with a code, and only a valid report tells
anything of the proof. \`report.test\` says that it was made in test mode, with a specimen document or with a
pretended camera, and proves nothing about a person.

| you give | means |
|---|---|
| \`jwks\`, \`pem\` | public keys (or certificates) of the service |
| \`caPem\` | CA certificates: an archive that brings its certificate chain is good without its key. Give a CA that certifies nothing but signing keys of proofs |
| \`tsaCaPem\` | CA certificates of time-stamping authorities; without them a time stamp is not judged, and \`notes\` says so |
| \`revoked\` | \`{ [kid]: Date }\`: from when a key counts for nothing, unless a time stamp proves that a proof is older |

Certificates are judged at the time of the time stamp, else at the time that the appliance stated. Revocation lists are
not consulted: say what was revoked.

On the command line: \`${NAME} proof.zip --key jwks.json\`, see \`${NAME} --help\`.

\`schema/\` holds a JSON Schema (2020-12) of every JSON file of the archive, as this version writes it. The members of Counterproof
beside those of the specification are in one object, \`counterproof\`: of a file, or of an entry of
verificationAndEvaluationDetails.json. Archives of form 1.0 have them beside the others, and verify as ever.
`
