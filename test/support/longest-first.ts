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
  { files: /^test\/browser\/(kiosk|screens|faults|counter-administration)\.test/, seconds: 150, waits: true },
  {
    files: /^test\/conformance\/|^test\/crash\/(kill|phone|asked-again)\.test|kiosk-tries/,
    seconds: 120,
    waits: true,
  },
  {
    files: /^test\/browser\/(window|assist|integrate-document|capture.*|desk)\.test/,
    seconds: 65,
    waits: true,
  },
  { files: /^test\/(browser|crash)\//, seconds: 40, waits: true },
  { files: /^test\/server\/tools\/(demo\/demo|evaluate)\.test/, seconds: 120 },
  {
    files: /^test\/server\/(vision\/fuzz|app\/(document-reasons|specimens|live-specimen))\.test/,
    seconds: 75,
  },
  { files: /^test\/(accuracy\/|server\/proof\/verify-long-term)/, seconds: 40 },
  { files: /^test\/(central|server\/(app|vision|tools|sync|sandbox))\//, seconds: 8 },
  { files: /^test\/server\/(commands|api|counter|workflows|audit|keys|files)\//, seconds: 4 },
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
