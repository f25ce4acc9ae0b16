/**
 * Calls the workers of the other instances by NOTIFY, and hears their calls on a connection of its own. A call carries only
 * the kind of the work: the tables say what is to be done.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describeError, type Log } from '../../log.ts'
import { WORK, type Calls } from './db.ts'
import { explainFault } from './faults.ts'

const CHANNEL = 'counterproof_work'
/** Calls within this time become one, because each is a commit. */
const COLLECT_MS = 100
const CONNECT_TIMEOUT_MS = 5_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** Time in which a new connection must hear a call of this instance. */
const TRIAL_MS = 5_000

export function openCalls(pool: pg.Pool, listenUrl: string, log: Log): Calls & { close(): Promise<void> } {
  const waiting = new Set<string>()
  let sending: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let listener: { close(): Promise<void> } | undefined

  const sendWaiting = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    const words = [...waiting]
    waiting.clear()
    sending = pool
      .query('SELECT pg_notify($1, word) FROM unnest($2::text[]) AS word', [CHANNEL, words])
      .catch((error: unknown) => log.warn(describeError(error), 'the other instances could not be called'))
  }
  const send = (word: string): void => {
    waiting.add(word)
    timer ??= setTimeout(sendWaiting, COLLECT_MS)
  }

  return {
    send,
    listen: (heard) => {
      const trial = `trial ${randomUUID()}`
      let isHeard = false
      let trialTimer: NodeJS.Timeout | undefined
      const begin = (): void => {
        heard(null)
        isHeard = false
        send(trial)
        clearTimeout(trialTimer)
        trialTimer = setTimeout(() => {
          if (isHeard) return
          log.warn(
            { field: 'database.listenUrl' },
            'calls of other instances do not arrive: a pooler keeps them back, so name the address of PostgreSQL',
          )
        }, TRIAL_MS).unref()
      }
      const receive = (word: string): void => {
        if (word === trial) isHeard = true
        const work = WORK.find((each) => each === word)
        if (work) heard(work)
      }
      const connection = keepListening(listenUrl, log, begin, receive)
      listener = {
        close: async () => {
          clearTimeout(trialTimer)
          await connection.close()
        },
      }
    },
    close: async () => {
      sendWaiting()
      await Promise.all([sending, listener?.close()])
    },
  }
}

/** Connects again whenever the connection ends. @param begin called on each new connection: calls may have been missed */
function keepListening(
  url: string,
  log: Log,
  begin: () => void,
  receive: (word: string) => void,
): { close(): Promise<void> } {
  let isClosed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = FIRST_PAUSE_MS

  const connect = (): void => {
    const mine = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'counterproof-centre-calls',
    })
    client = mine
    let isOver = false
    const end = (error?: Error): void => {
      if (isOver || isClosed) return
      isOver = true
      if (error)
        log.warn(
          { ...describeError(error), reason: explainFault(error) },
          'the connection for the calls of other instances broke',
        )
      mine.end().catch(() => undefined)
      timer = setTimeout(connect, pauseMs).unref()
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
    mine.on('error', end)
    mine.on('end', () => end())
    mine.on('notification', ({ payload }) => receive(payload ?? ''))
    mine
      .connect()
      .then(() => mine.query(`LISTEN ${CHANNEL}`))
      .then(() => {
        pauseMs = FIRST_PAUSE_MS
        if (!isClosed) begin()
      })
      .catch(end)
  }
  connect()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
