/** The command table maps names to modules. Each command answers --help by itself. */
import { Interrupted } from './commands/asked-to-stop.ts'
import { describeFailure, isWrongUse } from './commands/failure.ts'
import { PRODUCT_VERSION } from './version.ts'

interface Command {
  readonly summary: string
  load(): Promise<{ run(argv: string[]): Promise<number> }>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'start the appliance and show its first screen',
    load: () => import('./commands/start.ts'),
  },
  demo: {
    summary: 'run one whole proofing over HTTP and verify its proof',
    load: () => import('./tools/demo/demo.ts'),
  },
  doctor: {
    summary: 'examine the machine and the installation, and say what to do',
    load: () => import('./commands/doctor.ts'),
  },
  keys: { summary: 'create, list and revoke API keys', load: () => import('./commands/keys.ts') },
  staff: {
    summary: 'manage the accounts of the counter and their roles',
    load: () => import('./commands/staff.ts'),
  },
  'signing-keys': {
    summary: 'create, rotate, revoke and certify the keys that sign proofs',
    load: () => import('./commands/signing-keys.ts'),
  },
  kek: {
    summary: 'split the master key into shares and restore it from them',
    load: () => import('./commands/kek.ts'),
  },
  models: { summary: 'build, list and install vision models', load: () => import('./commands/models.ts') },
  simulator: {
    summary: 'run a service outside that the appliance may ask, for tests and demonstrations',
    load: () => import('./tools/simulator/simulator.ts'),
  },
  specimen: {
    summary: 'render a specimen passport from a face image',
    load: () => import('./tools/specimen/specimen.ts'),
  },
  policy: {
    summary: 'show and check policies, explain the level of an identity',
    load: () => import('./commands/policy.ts'),
  },
  brands: {
    summary: 'list and check the brands of the screens',
    load: () => import('./commands/brands.ts'),
  },
  journeys: {
    summary: "list and check the kiosk's journeys",
    load: () => import('./commands/journeys.ts'),
  },
  audit: {
    summary: 'verify and export the audit log, sign a checkpoint',
    load: () => import('./commands/audit.ts'),
  },
  sync: {
    summary: 'join a central service and send proofs to it',
    load: () => import('./commands/sync.ts'),
  },
  backup: { summary: 'create, check and restore backups', load: () => import('./commands/backup.ts') },
  'verify-proof': {
    summary: 'verify proof archives with a public key or a CA',
    load: () => import('./commands/verify-proof.ts'),
  },
  verifier: {
    summary: 'make the npm package that verifies proofs elsewhere',
    load: () => import('./commands/verifier.ts'),
  },
  client: {
    summary: 'make the npm package that calls the API from TypeScript',
    load: () => import('./commands/client.ts'),
  },
  retention: {
    summary: 'list stored data, set legal holds, print deletion receipts',
    load: () => import('./commands/retention.ts'),
  },
  webhooks: {
    summary: 'manage webhook endpoints and their deliveries',
    load: () => import('./commands/webhooks.ts'),
  },
  'verify-receipt': {
    summary: 'verify the signed receipt of a deletion',
    load: () => import('./commands/verify-receipt.ts'),
  },
  inspection: {
    summary: 'record inspections of the device and tampering',
    load: () => import('./commands/inspection.ts'),
  },
  cameras: {
    summary: 'list, test and pin the cameras of this machine',
    load: () => import('./commands/cameras.ts'),
  },
  kiosk: {
    summary: "show the kiosk's window, set the staff passphrase of the shell",
    load: () => import('./commands/kiosk.ts'),
  },
  readers: {
    summary: 'list and test the readers of chips of this machine',
    load: () => import('./commands/readers.ts'),
  },
  chip: {
    summary: 'read the chip of a document, verify its files, check recorded sessions',
    load: () => import('./commands/chip.ts'),
  },
  'document-register': {
    summary: 'import a list of lost and stolen documents',
    load: () => import('./commands/document-register.ts'),
  },
  trust: {
    summary: 'import the master lists that chips are verified with',
    load: () => import('./commands/trust.ts'),
  },
  watchlist: {
    summary: 'import lists of wanted persons and compare persons with them',
    load: () => import('./commands/watchlist.ts'),
  },
  bench: { summary: 'run every bench with small settings', load: () => import('./tools/bench/all.ts') },
  'bench-mrz': {
    summary: 'measure the reading of machine-readable zones',
    load: () => import('./tools/bench/mrz.ts'),
  },
  'bench-pdf417': {
    summary: 'measure the reading of PDF417 barcodes',
    load: () => import('./tools/bench/pdf417.ts'),
  },
  'bench-aamva': {
    summary: 'parse the barcode texts of North American cards',
    load: () => import('./tools/bench/aamva.ts'),
  },
  'bench-documents': {
    summary: 'measure how documents are found and read, on rendered scenes',
    load: () => import('./tools/bench/documents.ts'),
  },
  'bench-outline-features': {
    summary: 'write the features that rank document outlines',
    load: () => import('./tools/bench/documents/outline-features.ts'),
  },
  'bench-surround': {
    summary: 'measure which shade around the live picture reflects least in a document',
    load: () => import('./tools/bench/surround.ts'),
  },
  'bench-quality': {
    summary: 'measure at which defect pictures are refused, and with which code',
    load: () => import('./tools/bench/quality.ts'),
  },
  'bench-fuzz': {
    summary: 'send damaged pictures and hostile bodies to the vision worker and the servers',
    load: () => import('./tools/bench/fuzz.ts'),
  },
  'bench-chip': {
    summary: 'run the cases of BSI TR-03105 part 5.1 against simulated chips',
    load: () => import('./tools/bench/chip.ts'),
  },
  'bench-authenticity': {
    summary: 'measure false alarms and misses of the authenticity signals',
    load: () => import('./tools/bench/authenticity.ts'),
  },
  evaluate: {
    summary: "score a laboratory's own pictures, and rates with intervals",
    load: () => import('./tools/evaluate/evaluate.ts'),
  },
  'bench-faces': { summary: 'measure face matching', load: () => import('./tools/bench/faces.ts') },
  'bench-face-index': {
    summary: 'measure the search for duplicate faces',
    load: () => import('./tools/bench/face-index.ts'),
  },
  'bench-liveness': {
    summary: 'measure refused live persons and accepted attacks in liveness sessions',
    load: () => import('./tools/bench/liveness.ts'),
  },
  'bench-pad': {
    summary: 'measure the detection of presentation attacks',
    load: () => import('./tools/bench/pad.ts'),
  },
  'bench-watchlist': {
    summary: 'measure misses and false alarms of the name search',
    load: () => import('./tools/bench/watchlist.ts'),
  },
  'bench-api': { summary: 'measure how fast the API answers', load: () => import('./tools/bench/api.ts') },
  'bench-connectors': {
    summary: 'measure what the appliance adds to the time of a source outside',
    load: () => import('./tools/bench/connectors.ts'),
  },
  'bench-screens': {
    summary: 'measure first paint and the answer to a touch',
    load: () => import('./tools/bench/screens.ts'),
  },
  'bench-crash': {
    summary: 'kill kiosk and central service at random times and count the proofs',
    load: () => import('./tools/bench/crash.ts'),
  },
  soak: {
    summary: 'run an appliance for hours with proofings and faults, and judge what grows',
    load: () => import('./tools/bench/soak.ts'),
  },
  central: {
    summary: 'run the central service and manage its kiosks',
    load: () => import('./commands/central.ts'),
  },
  'bench-central': {
    summary: 'measure how many proofs the central service takes',
    load: () => import('./tools/bench/central.ts'),
  },
  conformance: {
    summary: 'call every operation of a server and compare with the specification',
    load: () => import('../conformance/main.ts'),
  },
  mutation: {
    summary: 'change the rules one by one and count the changes that no test notices',
    load: () => import('./tools/mutation/main.ts'),
  },
  'check-dependencies': {
    summary: 'check licences, hashes and known advisories of the npm packages',
    load: () => import('../test/dependencies/main.ts'),
  },
  build: { summary: 'build the screens', load: () => import('./commands/build.ts') },
  exec: {
    summary: 'run a tool of node_modules on the pinned Node',
    load: () => import('./commands/exec.ts'),
  },
}

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)

export async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === '--version') {
    process.stdout.write(`${PRODUCT_VERSION}\n`)
    return 0
  }
  const command = name === undefined ? undefined : COMMANDS[name]
  if (!command) {
    const asked = name === undefined || name === '--help' || name === 'help'
    process[asked ? 'stdout' : 'stderr'].write(usage(asked ? null : name))
    return asked ? 0 : 2
  }
  try {
    const module = await command.load()
    return await module.run(rest)
  } catch (error) {
    if (error instanceof Interrupted) {
      process.stderr.write(`${error.message}; the temporary appliance is deleted\n`)
      // The interrupted work would keep this process alive.
      process.exit(error.status)
    }
    process.stderr.write(describeFailure(error))
    return isWrongUse(error) ? 2 : 1
  }
}

function usage(unknown: string | null): string {
  const width = Math.max(...COMMAND_NAMES.map(({ length }) => length)) + 2
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`)
  const head = unknown === null ? [] : [`There is no command '${unknown}'.`]
  return [
    ...head,
    'Commands (npm run NAME -- [OPTIONS]; --help prints the options of each; --version prints the version):',
    ...rows,
    '',
  ].join('\n')
}
