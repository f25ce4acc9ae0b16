/** Imports a trust bundle into the store of argv[2] (master key: argv[3]), and is killed at the end of the transaction, before its commit. */
import { readFileSync } from 'node:fs'
import { openStore } from '../../server/store/open.ts'
import { importTrustBundle } from '../../server/trust/import-bundle.ts'
import { readTrustFile } from '../../server/trust/trust-file.ts'

const [, , dataDir = '', kek = '', ...paths] = process.argv
const store = openStore(dataDir, Buffer.from(kek, 'hex'))
const files = paths.map((path) => readTrustFile(readFileSync(path)))
const events = {
  ...store.events,
  append: () => {
    process.kill(process.pid, 'SIGKILL')
    throw new Error('this process is killed')
  },
}
const bundle = {
  centreId: 'centre',
  version: 9,
  sha256: '0'.repeat(64),
  publishedBy: 'Ada',
  confirmedBy: 'Ben',
}
const hashes = files.map(({ sha256 }) => sha256)
await importTrustBundle({ ...store, events }, { ...bundle, hashes, files }, new Date(), { actor: 'centre' })
