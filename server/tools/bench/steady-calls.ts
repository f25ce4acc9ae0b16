/**
 * Reads paths of a server at a steady rate. Calls start at fixed moments even if earlier ones are unanswered, and each is timed
 * from its moment, so that a stall counts for every call it delays.
 */
import { Agent, get } from 'node:http'

const USER_AGENT = 'counterproof-bench/1 (en)'
/** The first seconds compile the code and are not counted. */
const WARM_UP_SECONDS = 3

interface SteadyPlan {
  readonly url: string
  readonly apikey: string
  /** Read in turn. */
  readonly paths: readonly string[]
  readonly perSecond: number
  readonly seconds: number
  /** Called when the counted calls begin. */
  readonly begins?: () => void
}

/** Times in milliseconds; Infinity if nothing was answered. */
export interface SteadyCalls {
  readonly calls: number
  readonly errors: number
  readonly achievedPerSecond: number
  readonly p50: number
  readonly p97_5: number
  readonly p99: number
  readonly max: number
}

export async function callSteadily({
  url,
  apikey,
  paths,
  perSecond,
  seconds,
  begins,
}: SteadyPlan): Promise<SteadyCalls> {
  const agent = new Agent({ keepAlive: true })
  const send = (due: number, path: string) => timeCall(url + path, apikey, agent, due)
  await sendSteadily(paths, perSecond, WARM_UP_SECONDS, send)
  begins?.()
  const from = performance.now()
  const times = await sendSteadily(paths, perSecond, seconds, send)
  const elapsedSeconds = (performance.now() - from) / 1000
  agent.destroy()

  const answered = times.filter((time) => time !== null).sort((a, b) => a - b)
  const atShare = (share: number) => round(answered[Math.ceil(answered.length * share) - 1] ?? Infinity)
  return {
    calls: times.length,
    errors: times.length - answered.length,
    achievedPerSecond: round(answered.length / elapsedSeconds),
    p50: atShare(0.5),
    p97_5: atShare(0.975),
    p99: atShare(0.99),
    max: atShare(1),
  }
}

/** Calls `send` for each path at an even rate and returns the results. */
async function sendSteadily<T>(
  paths: readonly string[],
  rate: number,
  seconds: number,
  send: (due: number, path: string) => Promise<T>,
): Promise<T[]> {
  const from = performance.now()
  const sent: Promise<T>[] = []
  while (sent.length < rate * seconds) {
    const due = from + (sent.length * 1000) / rate
    const wait = due - performance.now()
    // Timers fire at least a millisecond late; waiting for less would add a delay that is not the server's.
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait - 1))
    else if (wait > 0) await new Promise((resolve) => setImmediate(resolve))
    else sent.push(send(due, paths[sent.length % paths.length]))
  }
  return Promise.all(sent)
}

/** Milliseconds from `due` until the complete answer; null unless the status is 200. */
function timeCall(url: string, apikey: string, agent: Agent, due: number): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { apikey, 'user-agent': USER_AGENT } }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode === 200 ? performance.now() - due : null))
    })
    request.once('error', () => resolve(null))
  })
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
