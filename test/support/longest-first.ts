/**
 * The order in which test files start without earlier measurements. Files that mostly wait (for a page, a process,
 * a timer) run beside files that compute, so that both cores have work all the time; of each kind the longest come
 * first, so that no long file is left alone at the end.
 */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

interface Group {
  readonly files: RegExp
  /** The usual duration of one file; see `The slowest files` of a run. */
  readonly seconds: number
  /** The file leaves most of its core idle. */
  readonly waits?: true
}

/** The first group that matches counts. */
const GROUPS: readonly Group[] = [
  {
    files:
      /^test\/browser\/(kiosk|kiosk-tries|screens|faults|capture.*|integrate-document|counter-administration)\.test/,
    seconds: 150,
    waits: true,
  },
  {
    files: /^test\/(conformance\/|crash\/(kill|phone|asked-again)\.test|browser\/(assist|window)\.test)/,
    seconds: 115,
    waits: true,
  },
  {
    files: /^test\/(browser\/(desk|residue|takeover|counter)|crash\/(kiosk-visit|runbook|erasure))\.test/,
    seconds: 60,
    waits: true,
  },
  { files: /^test\/(browser|crash)\//, seconds: 30, waits: true },
  {
    files:
      /^test\/server\/(vision\/(fuzz|worker)|app\/(document-reasons|specimens|live-specimen|properties)|tools\/(evaluate|demo\/.*))\.test|hostile-verify/,
    seconds: 140,
  },
  {
    files:
      /^test\/(accuracy\/|central\/(hostile-kiosk|upload|backups)|server\/(proof\/verify-long-term|app\/(boundary|pinned-key-source)|sandbox\/|tools\/bench\/soak|audit\/verify|commands\/signing-keys|vision\/(engines|refused-models|documents\/(card-on-paper|national-mrz|measure|mrz-geometry|visual-zone|wholeness|outline))))/,
    seconds: 50,
  },
  { files: /^test\/(central|server\/(app|vision|tools|sync|connectors))\//, seconds: 8 },
  { files: /^test\/server\/(commands|api|counter|workflows|keys|files)\//, seconds: 4 },
]
const OTHERS: Omit<Group, 'files'> = { seconds: 1 }

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const grouped = sorted
      .map((file) => ({ file, ...findGroup(relative(this.ctx.config.root, file.moduleId)) }))
      .sort((a, b) => b.seconds - a.seconds)
    return [
      ...placeInRun(grouped.filter(({ waits }) => waits)),
      ...placeInRun(grouped.filter(({ waits }) => !waits)),
    ]
      .sort((a, b) => a.begin - b.begin)
      .map(({ file }) => file)
  }
}

function findGroup(path: string): Omit<Group, 'files'> {
  return GROUPS.find(({ files }) => files.test(path)) ?? OTHERS
}

/** Adds the share of its kind's whole duration that passes before each file; both kinds end together. */
function placeInRun<T extends { readonly seconds: number }>(files: readonly T[]): (T & { begin: number })[] {
  const whole = files.reduce((sum, { seconds }) => sum + seconds, 0)
  let past = 0
  return files.map((file) => {
    const begin = past / whole
    past += file.seconds
    return { ...file, begin }
  })
}
