/** The import table of ARCHITECTURE.md, as a test: imports point one way, and a back edge fails here by name. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findBackEdges,
  findSources,
  findStrayPackages,
  type ImportTable,
  parseImports,
  readImports,
} from './support/imports.ts'

const ROOT = join(import.meta.dirname, '..')

/** Modules that every part of the server may use; they know nothing of the domain. */
const BASE = ['server/errors.ts', 'server/clock.ts', 'server/log.ts', 'server/version.ts'] as const

/**
 * Dependencies that are passed at start: types only, so that no other part builds a second database or model.
 */
const HANDED_DOWN = ['type:server/context.ts', 'type:server/config', 'type:server/store'] as const

const ABILITIES = [
  'type:server/proof',
  'type:server/proofing',
  'type:server/verification',
  'type:server/vision',
] as const
const USED_BY_WORKFLOWS = [
  'server/keys',
  'server/verification',
  'server/live',
  'server/proof',
  'server/connectors',
  'server/environment',
  'server/store',
  'server/proofing',
  'server/crypto',
  'server/outgoing', // judges outside addresses when they are configured
  'server/audit',
  'type:server/protocol',
  'server/updates/paths.ts', // an update that is under way stops new proofings
  'server/vision/protocol.ts', // what the worker's answers mean, its errors included
  'server/webhooks/event-types.ts', // what can be told
  'server/webhooks/message.ts',
  'type:server/chip-reader', // what the readers tell
  'server/trust/freshness.ts', // the age of the lists that chips are verified with
  'server/trust/chip-trust.ts',
  'server/trust/bundle-state.ts', // which bundle of the central service is in force, for the health report
  'server/chip', // keys and verdicts of the reading of a chip
  'type:server/chip-reader',
] as const

const TABLE: ImportTable = {
  // The domain, and what stands alone
  'server/errors.ts': [],
  'server/clock.ts': [],
  'server/version.ts': ['package.json'],
  'server/listen-address.ts': [],
  'server/log.ts': ['server/errors.ts'],
  'server/proofing': ['server/errors.ts'],
  'server/proof/verify': [],
  'server/proof/verify.ts': ['server/proof/verify'],
  'server/proof': [
    'server/errors.ts',
    'type:server/proofing',
    'server/proof/verify',
    'server/proof/verify.ts',
  ],
  // The disk: how files are written, read and kept from others
  'server/files': ['server/errors.ts'],
  // XML: elements with limits, escaped text
  'server/xml': [],
  // Doing: one capability each
  'server/crypto': ['server/errors.ts'],
  // The protocol between kiosk and central service
  'server/protocol': ['server/errors.ts', 'server/crypto'],
  // Releases of the product and the rules of their installation; the central service judges releases with them, too
  'server/updates': ['server/files', 'server/proof/verify/canonical-json.ts'],
  'server/time': [...BASE, 'type:server/store', 'server/proofing'],
  'server/store': [
    ...BASE,
    'server/files',
    'server/crypto',
    'type:server/proofing',
    'server/proofing/applications.ts', // names that no key may have
    'server/proofing/types.ts', // the words of the domain, which events are compared with
    'server/proofing/disclosure.ts', // what may be told of a call to a service outside
    'server/proofing/antifraud/ledger.ts', // what an entry of the device's ledger says
    'type:server/protocol',
  ],
  'server/config': [
    ...BASE,
    'server/files',
    'server/proofing',
    'server/store/crypto.ts',
    'server/keys',
    'server/listen-address.ts',
    'server/openid/staff-settings.ts', // the sign-in of staff is configured in one way, here and at the central service
    'server/outgoing/service-address.ts', // one rule for addresses that are configured, here and at the central service
    'type:server/connectors/service', // what the options of a service become
    'type:server/connectors/sms',
    'type:server/connectors/smtp',
    'type:server/connectors/voice', // what the options of a carrier become
  ],
  // The chip of a document: protocols without a reader; they see no database and no file
  'server/chip': ['server/proofing/mrz', 'server/proofing/country-codes.ts'],
  // Readers of chips: the process that speaks with pcscd, and the server's side of it
  'server/chip-reader': [...BASE, 'server/chip', 'server/sandbox'],
  // Whom the chip is verified with: master lists, certificates, who may replace them
  'server/trust': [
    ...BASE,
    'type:server/store',
    'server/chip',
    'server/protocol/people.ts', // two people are compared in one way, here and at the central service
  ],
  // Keys: in a token, in shares, on paper; made and rotated
  'server/keys': [
    ...BASE,
    'type:server/config',
    'server/crypto',
    'server/store/crypto.ts',
    'server/files',
    'server/store/signing-keys.ts', // the state of a key
    'type:server/store',
    'server/proof/sign.ts',
    'server/proof/verify',
  ],
  // Portrait sessions while they run: keys, tickets, the pictures that may still be needed
  'server/live': [...BASE, 'server/proofing'],
  // Processes kept apart from the machine
  'server/sandbox': [...BASE],
  'server/vision': [
    ...BASE,
    'type:server/proofing',
    'server/proofing/mrz',
    'server/sandbox',
    'server/files',
    'models/convert',
  ],
  'server/verification': [
    ...BASE,
    'server/proofing',
    'server/chip', // the files of a chip are judged like its pictures
    'type:server/vision',
    'server/vision/protocol.ts',
    'server/vision/documents/quality-thresholds.ts', // one set of limits for both sides
    'type:server/config',
  ],
  'server/connectors': [
    ...BASE,
    'server/proofing',
    'server/openid',
    'server/outgoing', // how a certificate is refused, in one way
    'server/xml',
    'server/proof/verify/time-stamp.ts', // a token is judged when it comes as it will be judged in the proof
  ],
  // The sign-in at an OpenID provider: of applicants, and of the staff of both servers
  'server/openid': [...BASE, 'server/outgoing/service-address.ts'],
  // The common parts of HTTP: bodies, limits, problems. They know no route and no rule
  'server/http': [...BASE, 'type:server/files/tls-files.ts', 'type:server/proofing'],
  // Signed calls to addresses that others have named; the central service sends with it, too
  'server/outgoing': ['server/errors.ts'],
  // Published lists, read in and searched on this machine alone
  'server/watchlists': [
    ...BASE,
    'type:server/store',
    'server/files',
    'server/proofing',
    'server/verification/limits-file.ts', // limits are read and refused in one way
    'server/outgoing/answer.ts', // how a certificate is refused, in one way
    'server/xml',
  ],
  'server/webhooks': [...BASE, 'server/files', 'server/store', 'server/outgoing', 'type:server/context.ts'],
  'server/sync': [
    ...BASE,
    ...HANDED_DOWN,
    'server/files',
    'server/crypto',
    'server/protocol',
    'server/workflows',
    'server/proofing',
    'server/config',
    'server/store/scope.ts',
    'server/store/open.ts', // a start that failed is looked at with nothing else open
    'server/store/sealed-files.ts', // packets lie on the disk in the one way that files do
    'server/trust', // bundles of the central service go into the trust store
    'server/updates', // releases of the central service wait for the root updater
  ],
  // Holds the audit log against itself and against what it tells of
  'server/audit': [
    ...BASE,
    'server/files',
    'server/store',
    'server/protocol',
    'server/proofing',
    'server/proof/verify',
    'server/proof/verify.ts',
  ],
  // Looks at every part of the appliance, and says what is wrong with it
  'server/environment': [...BASE, ...HANDED_DOWN, 'server/config/degraded.ts', 'server/proofing'],
  // Examines the installation for the command and for the counter
  'server/doctor': [
    ...BASE,
    'server/config',
    'server/files',
    'server/proofing',
    'server/sandbox',
    'server/store', // the database and the keys are judged as the start judges them
    'type:server/workflows',
    'server/connectors/camera',
    'type:server/chip-reader',
    'server/vision/manifest.ts', // models are compared with their hashes in one way
    'server/updates', // release keys and the end of the last update
    'server/vision/packs.ts',
    'server/vision/capabilities.ts',
  ],
  'server/backup': [...BASE, 'server/files', 'server/crypto', 'server/store', 'server/config'],
  // The central relying service: another process, on another machine; it shares the wire and the verifier, nothing else
  'server/central': [
    'server/errors.ts',
    'server/clock.ts',
    'server/log.ts',
    'server/version.ts',
    'server/listen-address.ts',
    'server/files',
    'server/crypto',
    'server/outgoing',
    'server/protocol',
    'server/sandbox', // around the processes that verify what others sent
    'server/proof/verify',
    'server/proof/verify.ts',
    'server/proof/multipart.ts',
    'server/http', // bodies, limits and problems, in one way
    'server/openid', // staff sign in as at the counter
    'server/updates', // a release is verified in one way, here and at the kiosk
    'server/config/bundle-rules.ts', // a bundle is judged by the rules of the kiosk before it is published
    'server/config/even-with-problems.ts', // a rule about several options lists its problems in one way
  ],
  'server/context.ts': [
    ...HANDED_DOWN,
    'type:server/chip-reader',
    'type:server/clock.ts',
    'type:server/connectors',
    'type:server/live',
    'type:server/log.ts',
    'type:server/watchlists',
    ...ABILITIES,
  ],
  // The workflows of the appliance
  'server/workflows': [...BASE, ...HANDED_DOWN, ...ABILITIES, ...USED_BY_WORKFLOWS],
  // The level of a proof derived once more from its archive: rules and the verifier, nothing that runs
  'server/reassess': [
    ...BASE,
    'server/proofing',
    'server/proof/verify',
    'server/config/policies.ts', // a policy from an archive is read like one from a file
    'server/chip', // the chips of an archive are judged again
    'server/verification/authenticate-chip.ts',
  ],
  // The callers of the workflows
  'server/api/contract': [
    'server/errors.ts',
    'server/proofing',
    'server/webhooks/event-types.ts', // the closed list of what can be told
    'server/connectors/adjudication/protocol.ts', // what services outside say, which the description shows
    'server/connectors/biometrics/protocol.ts',
    'server/connectors/voice/protocol.ts',
  ],
  'server/api': [
    ...BASE,
    ...HANDED_DOWN,
    'type:server/files/tls-files.ts',
    'server/workflows',
    'server/proofing',
    'server/proof',
    'server/http',
    'server/api/contract',
  ],
  // The common parts of kiosk and counter before a session exists
  'server/screens': ['server/errors.ts'],
  // Whose face the screens wear: read, checked, handed out
  'server/brand': ['server/errors.ts', 'server/files', 'server/xml'],
  // Documents of settings: checked, written, undone; what each means is handed in
  'server/settings': ['server/errors.ts', 'server/files'],
  'server/kiosk': [
    ...BASE,
    ...HANDED_DOWN,
    'server/workflows',
    'server/proofing',
    'server/api/contract',
    'server/http',
    'server/screens',
    'type:server/brand',
  ],
  // The staff's console: who may sign in, and what each role may see and do
  // Metrics and traces: they see times, states and codes alone
  'server/telemetry': [
    ...BASE,
    ...HANDED_DOWN,
    'type:server/vision',
    'type:server/verification',
    'server/workflows/health',
    'server/connectors/service', // the collector of traces is called as every service outside
    'server/updates', // how the last update ended
  ],
  'server/counter': [
    ...BASE,
    ...HANDED_DOWN,
    'server/screens',
    'type:server/brand',
    'server/settings',
    'server/workflows',
    'server/proofing',
    'server/crypto',
    'server/openid', // officers sign in as the staff of the central service do
    'server/store/crypto.ts', // the cookie of a sign-in at the provider is encrypted as everything else
    'server/store/visits.ts', // the words of visits
    'server/config/attended.ts', // what is looked at on a document
    'server/config/address-formats.ts', // what the addresses of a country have
    'server/config/tenant-name.ts',
    'server/environment',
    'server/doctor',
    'server/proof/verify.ts', // the seal of a proof, and its level, are checked where staff look at it
    'server/reassess',
    'type:server/kiosk/contract',
    'server/api/contract',
    'server/http',
    'server/api/deps.ts',
  ],
  'server/capture': [
    ...BASE,
    ...HANDED_DOWN,
    'server/brand/colours.ts', // the elements on a page of others wear the organisation's colours
    'server/workflows',
    'server/proofing',
    'server/api/contract',
    'server/http',
  ],
  'server/jobs': [
    ...BASE,
    ...HANDED_DOWN,
    'server/workflows',
    'server/proofing',
    'server/connectors/service/outside-wait.ts',
  ],
  // The composition of all parts, and what runs beside it
  'server/index.ts': ['*'],
  'server/mount.ts': ['*'],
  'server/open-connectors.ts': ['*'],
  'server/open-engines.ts': ['*'],
  'server/open-kiosk.ts': ['*'],
  'server/open-settings.ts': ['*'],
  'server/open-vision.ts': ['*'],
  'server/open-watchlists.ts': ['*'],
  'server/setting-problems.ts': ['*'],
  'server/cli.ts': ['*'],
  'server/run.mjs': ['*'],
  'server/launch': ['*'],
  'server/commands': ['*'],
  // The product imports no tool; a tool may use every part of the product
  'server/tools': ['*'],
  models: [],
  conformance: [],
  // A package of its own
  client: ['server/proof/multipart.ts'],
  // Other processes
  main: ['type:server/launch'],
  renderer: [
    'type:server/api/contract',
    'type:server/kiosk/contract',
    'type:server/counter/contract',
    'type:server/brand/contract.ts',
    'type:server/central/head-office/contract.ts',
    'type:server/proof/verify.ts',
  ],
}

/** A floor is the bare package, which our own part of the product is compared with. */
const FLOORS = 'server/tools/bench/all/floors'

/** Packages that belong to one part: a second home would be a second way of doing the same. */
const PACKAGE_OWNERS: ImportTable = {
  electron: ['main'],
  'better-sqlite3': ['server/store', 'server/backup', FLOORS],
  'tar-stream': ['server/backup', 'server/commands/npm-package.ts'],
  'openapi-fetch': ['client'],
  'openapi-typescript': ['server/commands/client.ts'],
  'onnxruntime-node': ['server/vision', 'server/tools/bench', 'models'],
  'tesseract.js': ['server/vision', FLOORS],
  '@techstark/opencv-js': ['server/vision'],
  'zxing-wasm': ['server/vision', 'server/tools/specimen', 'server/tools/bench'],
  '@zxing/library': ['server/vision'],
  express: [
    'server/http',
    'server/api',
    'server/kiosk',
    'server/screens',
    'server/capture',
    'server/counter',
    'server/brand',
    'server/mount.ts',
    'server/tools/evaluate',
    'server/central',
    FLOORS,
  ],
  pg: ['server/central', 'server/tools/bench'],
  '@electric-sql/pglite': ['server/central'],
  '@fastify/busboy': ['server/http'],
  'content-disposition': ['server/http'],
  'content-type': ['server/http'],
  'openid-client': ['server/openid', 'server/connectors/service'],
  'node-webcam': ['server/connectors'],
  '@simplewebauthn/server': ['server/counter'],
  nodemailer: ['server/connectors'],
  otpauth: ['server/counter', 'server/tools/demo'],
  qrcode: ['server/screens', 'server/counter'],
  preact: ['renderer/counter', 'renderer/fleet'],
  i18next: ['renderer/locales'],
  'shamir-secret-sharing': ['server/keys'],
  saxes: ['server/xml', 'server/brand'],
  'csv-parse': ['server/watchlists', 'server/tools/evaluate'],
  pino: ['server/log.ts'],
  'prom-client': ['server/telemetry', 'server/central'],
}

const sources = findSources(ROOT, ['client', 'conformance', 'main', 'models', 'renderer', 'server'])
const imports = sources.flatMap((path) => readImports(ROOT, path))

describe('the import table', () => {
  test('has no back edge', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(findBackEdges(imports, TABLE)).toEqual([])
  })

  test('keeps every package with its owner; the server never loads Electron', () => {
    expect(findStrayPackages(imports, PACKAGE_OWNERS)).toEqual([])
  })

  test('leaves the tests to themselves: an installed product has none', () => {
    const ofTests = imports.filter(({ to, isPackage }) => !isPackage && to.startsWith('test/'))
    // The list of commands has one that examines the repository.
    expect(ofTests.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'server/cli.ts test/dependencies/main.ts',
    ])
  })

  test('leaves the verifier of proofs with Node, zod and two ASN.1 readers alone, so that it can be lifted out', () => {
    const packages = imports
      .filter(({ from, isPackage }) => isPackage && /^server\/proof\/verify(\.ts$|\/)/.test(from))
      .map(({ to }) => to.replace(/^node:.*/, 'node'))
    expect([...new Set(packages)].sort()).toEqual(['asn1js', 'node', 'pkijs', 'zod'])
  })

  test('leaves the conformance kit with Node alone, so that any server of the API can be driven by it', () => {
    const packages = imports.filter(({ from, isPackage }) => isPackage && from.startsWith('conformance/'))
    expect(packages.filter(({ to }) => !to.startsWith('node:'))).toEqual([])
    expect(packages.length).toBeGreaterThan(5)
  })
})

/**
 * Files that write without `server/files`, with the reason why that is safe: the repository's own sources,
 * new folders of a bench or a browser, and processes that share no code with the server.
 */
const WRITES_BY_ITSELF: Readonly<Record<string, string>> = {
  'server/files': 'the one way',
  'server/tools/specimen/build-specimens.ts': 'resources of the repository',
  'server/tools/specimen/forgeries/make-zone-shapes.ts': 'resources of the repository',
  'server/commands/models.ts': 'the manifest of the repository',
  'server/tools/bench/authenticity.ts': 'resources of the repository',
  'server/tools/bench':
    'configurations in temporary folders, and the image of a disk that is filled on purpose',
  'server/updates/updater.ts':
    'packages in a folder that only root writes; the data folder is written as its owner',
  'server/live/session-recording.ts':
    'recordings for an evaluation, which grow by a line, in a new folder for each session; only in test mode',
  'server/tools/evaluate/results-file.ts': 'results that grow by a line, at a place that the operator names',
  'server/watchlists/list-source.ts': 'a published list, removed once it is imported',
  'server/commands/download-model.ts':
    'a part of a public file, checked by its hash before `server/files` installs it',
  'server/tools/simulator/chip/pcscd.ts': 'the configuration of a virtual reader, in a temporary folder',
  'server/tools/mutation/runner.ts': 'changed sources in a copy of the repository',
  'server/launch/chromium.ts': 'a profile in a temporary folder',
  'server/backup/restore.ts': 'moves what it unpacked within the data folder',
  'server/commands/npm-package.ts': 'the compiler writes into a folder that `server/files` made',
  'main/key-custody.ts': 'another process; the wrapped key is made once, never over another file',
  conformance: 'imports nothing of the server',
}
/** A link is followed by each of these, or a half-written file is left. */
const WRITING =
  /\b(writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|cp|cpSync|rename|renameSync|toFile)\(|\bopen(Sync)?\([^)]*'(w|wx|a|ax|r\+|w\+)'/

describe('files', () => {
  test('are written by server/files alone, but for a few places that are named with their reason', () => {
    const writers = sources.filter(
      (path) => !path.startsWith('renderer/') && WRITING.test(readFileSync(join(ROOT, path), 'utf8')),
    )
    const named = Object.keys(WRITES_BY_ITSELF)
    expect(writers.length).toBeGreaterThan(5)
    expect(writers.filter((path) => !named.some((place) => path.startsWith(place)))).toEqual([])
  })
})

describe('the check of the import table', () => {
  const edgesOf = (path: string, source: string) => findBackEdges(parseImports(path, source), TABLE)

  test('names the file and the import of a back edge', () => {
    expect(
      edgesOf('server/store/open.ts', `import { sealProof } from '../workflows/proof/seal-proof.ts'`),
    ).toEqual([
      'server/store/open.ts imports server/workflows/proof/seal-proof.ts, but server/store may import only: ' +
        'server/errors.ts, server/clock.ts, server/log.ts, server/version.ts, server/files, server/crypto, type:server/proofing, ' +
        'server/proofing/applications.ts, server/proofing/types.ts, server/proofing/disclosure.ts, ' +
        'server/proofing/antifraud/ledger.ts, type:server/protocol.',
    ])
  })

  test.each([
    ['a dynamic import', 'server/vision/worker.ts', `const store = await import('../store/open.ts')`],
    ['a re-export', 'server/proof/verify.ts', `export { AppError } from '../errors.ts'`],
    ['an import for its effects', 'server/proofing/judge.ts', `import '../store/open.ts'`],
    ['a require', 'server/proofing/judge.ts', `const store = require('../store/open.ts')`],
    [
      'an import type in an annotation',
      'server/proofing/judge.ts',
      `let x: import('../store/open.ts').Store`,
    ],
    [
      'a value where types alone are allowed',
      'renderer/kiosk/a.ts',
      `import { parse } from '../../server/api/contract/a.ts'`,
    ],
    ['a value beside types', 'renderer/a.ts', `import { type A, parse } from '../server/api/contract/a.ts'`],
    [
      'a type from further in than the contract',
      'renderer/a.ts',
      `import type { Ctx } from '../server/context.ts'`,
    ],
    ['the shell loading the server', 'main/index.ts', `import { start } from '../server/index.ts'`],
    [
      'the server loading the shell',
      'server/api/a.ts',
      `import { openWindow } from '../../main/kiosk-window.ts'`,
    ],
    [
      'the contract reaching back into the API',
      'server/api/contract/a.ts',
      `import { guard } from '../guard.ts'`,
    ],
    [
      'the archive reader of the verifier reaching out',
      'server/proof/verify/keys.ts',
      `import { s } from '../sign.ts'`,
    ],
    [
      'a folder that the table does not name',
      'server/helpers/a.ts',
      `import { AppError } from '../errors.ts'`,
    ],
  ])('finds %s', (_, path, source) => {
    expect(edgesOf(path, source)).toHaveLength(1)
  })

  test.each([
    [
      'types for the screens',
      'renderer/kiosk/a.ts',
      `import type { A } from '../../server/api/contract/a.ts'`,
    ],
    [
      'types one by one',
      'renderer/a.ts',
      `import { type A, type B } from '../server/kiosk/contract/visit.ts'`,
    ],
    ['a neighbour', 'server/proof/sign.ts', `import { keyThumbprint } from './verify/keys.ts'`],
    ['anything for a command', 'server/commands/a.ts', `import { open } from '../store/open.ts'`],
  ])('allows %s', (_, path, source) => {
    expect(edgesOf(path, source)).toEqual([])
  })

  test('finds a package outside its owner, but not its types', () => {
    const strays = (source: string) =>
      findStrayPackages(parseImports('server/launch/a.ts', source), PACKAGE_OWNERS)
    expect(strays(`const { app } = await import('electron')`)).toEqual([
      'server/launch/a.ts imports the package electron, which only main may use.',
    ])
    expect(strays(`import type { App } from 'electron'`)).toEqual([])
  })
})
