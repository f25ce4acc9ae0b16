/**
 * `npm run bench:api`: measures how fast GET identity answers while documents are being verified. The appliance runs in
 * its own process with the real vision worker.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { RelyingService } from '../demo/client.ts'
import { withTemporaryServer, type Keys } from '../demo/server-process.ts'
import { endBench } from './labelled-data.ts'
import { verifyDocument, type VerifierData } from './api-verifier.ts'
import { callSteadily, type SteadyCalls } from './steady-calls.ts'

const HELP = `bench-api: measures GET /v1/identities/{id} at a steady rate while documents are verified

  --rate N         calls per second                                          (default 300)
  --seconds N      duration in seconds                                       (default 20)
  --identities N   identities to read, one in ten with a verified document   (default 50)
  --idle           verifies no documents, for comparison
  --json           one JSON object at the end
  --help           this text

Times are milliseconds from the time at which a call was due to the end of its answer.

Example: npm run bench:api -- --rate 100 --seconds 10
`

/** Above the calls of any run, so that the rate limit does not affect the result. */
const WITH_DOCUMENT_EVERY = 10

export interface ApiBench extends SteadyCalls {
  readonly rate: number
  readonly seconds: number
  readonly identities: number
  readonly documentsVerified: number
  readonly cores: number
  readonly processor: string
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      rate: { type: 'string', default: '300' },
      seconds: { type: 'string', default: '20' },
      identities: { type: 'string', default: '50' },
      idle: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [rate, seconds, identities] = [values.rate, values.seconds, values.identities].map(Number)
  if (![rate, seconds, identities].every((number) => Number.isInteger(number) && number > 0)) {
    process.stderr.write('--rate, --seconds and --identities take whole numbers above 0\n')
    return 2
  }
  const result = await measure({ rate, seconds, identities, idle: values.idle })
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return endBench(result.calls - result.errors, result.errors === 0)
}

interface Plan {
  readonly rate: number
  readonly seconds: number
  readonly identities: number
  readonly idle: boolean
}

const measure = (plan: Plan): Promise<ApiBench> =>
  withTemporaryServer('bench', ({ url }, keys) => measureServer(url, keys, plan))

/** Reads identities that it creates, also on an appliance that keeps others already. */
export async function measureServer(
  url: string,
  keys: Keys,
  { rate, seconds, identities, idle }: Plan,
): Promise<ApiBench> {
  const paths = await seed(new RelyingService(url, keys), identities)
  const verifier = idle ? null : startVerifier({ url, keys })
  let verifiedBefore = 0
  const calls = await callSteadily({
    url,
    apikey: keys.relyingServiceKey,
    paths,
    perSecond: rate,
    seconds,
    begins: () => {
      verifiedBefore = verifier?.verified() ?? 0
    },
  })
  const documentsVerified = (verifier?.verified() ?? 0) - verifiedBefore
  await verifier?.stop()
  return {
    rate,
    seconds,
    identities,
    ...calls,
    documentsVerified,
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
  }
}

/** Creates identities like those of a busy branch and returns the path of each. */
async function seed(service: RelyingService, count: number): Promise<string[]> {
  const paths: string[] = []
  for (let made = 0; made < count; made++) {
    const { id } = await service.createIdentity([{ key: 'APPLICATION', value: 'bench' }])
    await service.consent(id, ['ID_DOCUMENT', 'PORTRAIT'])
    if (made % WITH_DOCUMENT_EVERY === 0) await verifyDocument(service, id)
    paths.push(`/v1/identities/${id}`)
  }
  return paths
}

/** Counts the verifier thread's messages until it is stopped. */
function startVerifier(data: VerifierData): { readonly verified: () => number; stop(): Promise<unknown> } {
  let verified = 0
  const thread = new Worker(new URL('./api-verifier.ts', import.meta.url), { workerData: data })
  thread.on('message', () => verified++)
  // A failing verifier ends the run, because figures without documents would be meaningless.
  thread.on('error', (error) => {
    throw error
  })
  return { verified: () => verified, stop: () => thread.terminate() }
}

function describe(result: ApiBench): string {
  return [
    `GET /v1/identities/{id}: ${result.calls} calls, ${result.achievedPerSecond} per second, ${result.errors} errors`,
    `p50 ${result.p50} ms · p97.5 ${result.p97_5} ms · p99 ${result.p99} ms · max ${result.max} ms`,
    `${result.documentsVerified} documents verified meanwhile · ${result.cores} cores (${result.processor})`,
    '',
  ].join('\n')
}
