/** `npm run bench:fuzz`: sends hostile and broken input through the real parsers of the real servers. */
import { parseArgs } from 'node:util'
import { endBench } from './labelled-data.ts'
import { fuzzBodies, MAX_BLOCK_MS } from './fuzz/bodies-to-servers.ts'
import { fuzzChip, MAX_CHIP_INPUT_MS } from './fuzz/chip.ts'
import { fuzzPictures } from './fuzz/pictures.ts'

const HELP = `bench-fuzz: hostile pictures, bodies and files of a chip, through the vision worker, real servers and the parsers of the chip

  --only PART  pictures, bodies or chip                                                (default all)
  --body TEXT  only bodies with this text in their name or route, such as /verify      (default: all)
  --images N   number of pictures                                                      (default 5000)
  --inputs N   number of files, commands and replies of a chip for each of its parsers  (default 4000)
  --parser TEXT  only parsers of a chip with this text in their name, such as DG11      (default: all)
  --seed S     seed of the changes                                                     (default 1)
  --deep N     also measures every Nth round of the kinds and searches it for barcodes  (default 10)
  --server N   also sends every Nth round to a real server; 0 starts none              (default 20)
  --json       one JSON object at the end
  --help       this text

pictures: each goes through inspectImage, assessFrame, rasterisePdf and trackFace, HEIC also through decodeHeif. values: calls
answered with a measurement. faults: calls answered with a fault of the file. failures: calls with any other end; there must be
none. server: pictures sent as live frames and as documents over HTTP to an appliance of its own
process, each decided before the next; serverDown: that process no longer answers.

bodies: forms, files, JSON, zip, JWS, JWE, CBOR, key texts, heads and addresses, each filled up to the limit of its route, to
an appliance and a central service in this process, from another thread. longestBlockMs: the processor time for which one of
them kept the event loop; more than ${MAX_BLOCK_MS} ms, or an answer 5xx, is a failure.

chip: each damaged file is read or refused within ${MAX_CHIP_INPUT_MS} ms of processor time, the process grows by a bound, and no changed reply or signature passes.

Example: npm run bench:fuzz -- --only bodies --body /verify
`

const PARTS: readonly string[] = ['pictures', 'bodies', 'chip']

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string' },
      body: { type: 'string', default: '' },
      images: { type: 'string', default: '5000' },
      parser: { type: 'string', default: '' },
      inputs: { type: 'string', default: '4000' },
      seed: { type: 'string', default: '1' },
      deep: { type: 'string', default: '10' },
      server: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { only } = values
  const numbers = [values.images, values.seed, values.deep, values.server, values.inputs].map(Number)
  const [images, seed, deep, server, inputs] = numbers
  const areWhole = numbers.every((n) => Number.isInteger(n) && n >= 0) && deep > 0
  if (!areWhole || (only !== undefined && !PARTS.includes(only))) {
    process.stderr.write(
      '--images, --inputs, --seed, --deep and --server take whole numbers, --only pictures, bodies or chip; see --help\n',
    )
    return 2
  }
  const tell = (line: string): void => void process.stderr.write(`${line}\n`)
  const isWanted = (part: string): boolean => only === undefined || only === part
  const chip = isWanted('chip') ? fuzzChip({ inputs, seed, parser: values.parser, tell }) : null
  const bodies = isWanted('bodies') ? await fuzzBodies(tell, values.body) : null
  const pictures = isWanted('pictures') ? await fuzzPictures({ images, seed, deep, server }) : null
  const result = {
    ...(pictures ? { pictures } : {}),
    ...(bodies ? { bodies } : {}),
    ...(chip ? { chip } : {}),
  }
  process.stdout.write(
    values.json ? `${JSON.stringify(result)}\n` : Object.values(result).map(describe).join('\n'),
  )
  const pictureFailures = Object.keys({ ...pictures?.failures, ...pictures?.server?.failures }).length
  const isDown = pictures?.workerDown === true || pictures?.server?.serverDown === true
  const sent = Object.values(bodies?.parsers ?? {}).reduce((sum, parser) => sum + parser.sent, 0)
  const chipFailures = Object.keys(chip?.failures ?? {}).length
  const isGood = !isDown && pictureFailures + chipFailures === 0 && (bodies?.failures.length ?? 0) === 0
  return endBench(sent + (pictures?.calls ?? 0) + (chip?.inputs ?? 0), isGood)
}

/** One line per figure; nested figures are indented. */
function describe(figures: object): string {
  return Object.entries(figures)
    .flatMap(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null) return [`${name.padEnd(18)} ${String(value)}`]
      const below = Object.entries(value).map(([inner, of]) => `  ${inner.padEnd(16)} ${JSON.stringify(of)}`)
      return [below.length === 0 ? `${name.padEnd(18)} none` : name, ...below]
    })
    .map((line) => `${line}\n`)
    .join('')
}
