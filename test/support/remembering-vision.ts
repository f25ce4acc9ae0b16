/**
 * The real vision worker, which reads each picture once: the same call with the same bytes again gets the first answer, because
 * the worker computes an answer from the call alone. No mock: each answer is the worker's own, of this run and this code, and a
 * picture that was not seen before always goes to the worker. For tests that send one picture to many places; those of the
 * worker itself (its time, memory, restarts and faults) ask it directly.
 */
import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { startVision } from '../../server/vision/client.ts'
import { defaultModelsDir } from '../../server/vision/packs.ts'
import { ImageFaultError, type Vision, type VisionCall } from '../../server/vision/protocol.ts'

type Answer = { readonly value: Buffer } | { readonly fault: ImageFaultError }
/** All files of one test process share it. */
const answers = new Map<string, Promise<Answer>>()

let lent: Promise<Vision> | undefined
let borrowers = 0
let farewell: NodeJS.Timeout | undefined
/** The next file that needs it usually begins by then; a worker that waits longer only takes memory. */
const LENT_FOR_MS = 20_000

/** Lent: it ends some time after the last borrower has closed it. A second worker is for live pictures, as in the appliance. */
export async function lendVision(): Promise<Vision> {
  clearTimeout(farewell)
  borrowers++
  lent ??= startVision({ log: () => undefined, modelsDir: defaultModelsDir(), liveWorker: true })
  const vision = await lent
  let isGivenBack = false
  const giveBack = async (): Promise<void> => {
    if (isGivenBack) return
    isGivenBack = true
    borrowers--
    if (borrowers > 0) return
    farewell = setTimeout(() => {
      lent = undefined
      void vision.close()
    }, LENT_FOR_MS)
    farewell.unref()
  }
  return { ...rememberAnswers(vision), close: giveBack }
}

/** Answers of the worker's own state, which changes. */
const OF_THE_WORKER: readonly string[] = [
  'restarts',
  'isolation',
  'close',
  'health',
] satisfies (keyof Vision)[]
type Ask = (input: unknown) => Promise<unknown>

function rememberAnswers(vision: Vision): Vision {
  const remembering = Object.entries(vision as unknown as Record<VisionCall, Ask>).map(([call, ask]) => {
    if (OF_THE_WORKER.includes(call)) return [call, ask] as const
    const askOnce: Ask = async (input) => {
      const known = await answerTo(call, input, ask)
      if ('fault' in known) throw known.fault
      // A copy each, as after the way through a process: receivers may wipe what they get.
      return deserialize(known.value) as unknown
    }
    return [call, askOnce] as const
  })
  return Object.fromEntries(remembering) as unknown as Vision
}

function answerTo(call: string, input: unknown, ask: Ask): Promise<Answer> {
  const key = createHash('sha256').update(call).update(serialize(input)).digest('hex')
  const known = answers.get(key)
  if (known) return known
  const asked = ask(input).then(
    (value): Answer => ({ value: serialize(value) }),
    (fault: unknown): Answer => {
      if (fault instanceof ImageFaultError) return { fault }
      // A worker that failed may answer the next time.
      answers.delete(key)
      throw fault
    },
  )
  answers.set(key, asked)
  return asked
}
