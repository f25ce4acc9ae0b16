/** Writes and signs the release manifest of a Debian package (npm run package:repo). */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeFileWhole } from '../../files/write-file.ts'
import { getReleaseFileName, ReleaseManifestSchema, signRelease } from '../../updates/manifest.ts'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      package: { type: 'string' },
      key: { type: 'string' },
      version: { type: 'string' },
      architecture: { type: 'string' },
      'minimum-from': { type: 'string' },
    },
  })
  const { package: path, key, version, architecture, 'minimum-from': minimumFrom } = values
  if (!path || !key) throw new TypeError('a release needs --package and --key')
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  const manifest = ReleaseManifestSchema.parse({
    format: 'counterproof-release',
    version,
    minimumFrom,
    architecture,
    sha256: hash.digest('hex'),
    bytes: (await stat(path)).size,
    createdAt: new Date().toISOString(),
  })
  const pem = await readFile(key)
  const file = join(dirname(path), getReleaseFileName(manifest))
  writeFileWhole(file, signRelease(manifest, createPrivateKey(pem), createPublicKey(pem)))
  process.stdout.write(`${file}\n`)
}

await main()
