/**
 * `npm run soak`: one appliance as `npm start` starts it, proofings one after another for hours, faults at random, and samples of
 * memory, handles, files and queues. Counts every proof at the end, and judges whether anything grows.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makePlainFolder } from '../../files/folder.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { endBench } from './labelled-data.ts'
import { describeVerdict, writeReport } from './soak/report.ts'
import { runSoak } from './soak/run-soak.ts'

const HELP = `soak: runs an appliance for hours with proofings and faults, and says whether anything was lost or grows

  --hours N         duration                                                        (default 1)
  --minutes N       the same in minutes
  --proofings N     ends earlier, when a caller has received so many proofs
  --seed N          seed of the faults and their times                              (default 1)
  --fault-every N   seconds between two faults, on average                          (default 40)
  --only TEXT       only faults whose name contains TEXT
  --sample-every N  seconds between two samples                                     (default 5)
  --centre KIND     postgres: a real PostgreSQL of this machine; pglite: embedded   (default postgres, if installed)
  --out DIR         where soak-DATE.html and soak-DATE.json go                      (default bench-results)
  --json            one JSON object at the end, without samples
  --help            this text

Proofings: the documents of the specimen persons, every sixth time a live session with a drawn face. Faults: a vision worker is
killed; the server is killed, or stopped in order; the disk is full or read-only (as root, on a disk of its own); the central service is
away or slow; a hostile picture; an upload that breaks off; a visit that is abandoned. The server is not restarted after 40 % of the
run, and no worker is killed after 50 %, because a long life shows what grows. Ctrl+C ends the run early, with its report.

Exit status: 0 if every acknowledged proofing exists once with its result, the audit log is valid, no file belongs to nothing and nothing
grows; 1 if not; 2 if no proof was made.

Example: npm run soak -- --minutes 20 --seed 7
`

const say = (line: string): void => void process.stderr.write(`${line}\n`)

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      hours: { type: 'string', default: '1' },
      minutes: { type: 'string' },
      proofings: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'fault-every': { type: 'string', default: '40' },
      only: { type: 'string', default: '' },
      'sample-every': { type: 'string', default: '5' },
      centre: { type: 'string', default: 'postgres' },
      out: { type: 'string', default: 'bench-results' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const settings = {
    minutes: values.minutes === undefined ? Number(values.hours) * 60 : Number(values.minutes),
    proofings: values.proofings === undefined ? null : Number(values.proofings),
    seed: Number(values.seed),
    faultEverySeconds: Number(values['fault-every']),
    sampleEverySeconds: Number(values['sample-every']),
  }
  const wrong = Object.entries(settings).find(([, value]) => value !== null && !(value > 0 && value < 1e6))
  if (wrong) {
    say('--hours, --minutes, --proofings, --seed, --fault-every and --sample-every take numbers above 0')
    return 2
  }
  const centre = values.centre === 'pglite' ? 'pglite' : 'postgres'
  say(`soak of ${settings.minutes} minutes, seed ${settings.seed}`)
  const result = await runSoak({ ...settings, centre, only: values.only }, say)
  const out = resolve(values.out)
  await makePlainFolder(out)
  const file = join(out, `soak-${result.startedAt.slice(0, 19).replaceAll(':', '')}`)
  writeFileWhole(`${file}.html`, writeReport(result))
  writeFileWhole(`${file}.json`, `${JSON.stringify(result)}\n`)
  for (const finding of result.findings) say(finding)
  // JSON leaves out what is undefined.
  const short = { ...result, samples: undefined, latencies: undefined }
  process.stdout.write(values.json ? `${JSON.stringify(short)}\n` : `${describeVerdict(result)}\n`)
  say(`written: ${file}.html`)
  return endBench(result.counts.sealed, result.isGood)
}
