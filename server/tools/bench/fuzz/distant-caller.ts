/**
 * Makes HTTP calls from a separate thread, so that their work does not count for the event loop under test. Only the
 * repeated piece of a large body is passed to the thread.
 */
import { Worker } from 'node:worker_threads'

interface DistantAnswer {
  /** 0 if the connection failed before an answer. */
  readonly status: number
  /** The first 64 KiB, or the name of the connection error. */
  readonly body: string
}

/** `head`, then `piece` repeated, then `tail`. Texts are Latin-1. */
export interface DistantBody {
  readonly head: Uint8Array | string
  readonly piece?: Uint8Array | string
  readonly times?: number
  readonly tail?: Uint8Array | string
}

export interface DistantCall {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: DistantBody
}

export interface DistantCaller {
  /** Accepts one call at a time. */
  send(call: DistantCall): Promise<DistantAnswer>
  close(): Promise<void>
}

/** The code that runs in the thread. */
const CALLER = `
  const { parentPort } = require('node:worker_threads')
  const { request } = require('node:http')
  const BLOCK_BYTES = 65536
  parentPort.on('message', ({ method, url, headers, body }) => {
    let done = false
    const answer = (status, body) => {
      if (!done) parentPort.postMessage({ status, body })
      done = true
    }
    const call = request(url, { method, headers, agent: false }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (more) => { if (text.length < BLOCK_BYTES) text += more })
      res.on('end', () => answer(res.statusCode, text))
      res.on('error', () => answer(res.statusCode, text))
    })
    call.on('error', (error) => answer(0, String(error.code ?? error)))
    if (!body) return call.end()
    const bytes = (of) => (typeof of === 'string' ? Buffer.from(of, 'latin1') : Buffer.from(of ?? []))
    const piece = bytes(body.piece)
    const perBlock = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, piece.length)))
    const block = Buffer.concat(Array.from({ length: perBlock }, () => piece))
    let left = body.times ?? 0
    const blocks = function* () {
      yield bytes(body.head)
      for (; left > 0; left -= perBlock) yield left < perBlock ? block.subarray(0, left * piece.length) : block
      yield bytes(body.tail)
    }
    const source = blocks()
    const send = () => {
      for (;;) {
        const { value, done: isOver } = source.next()
        if (isOver) return call.end()
        if (!call.write(value)) return call.once('drain', send)
      }
    }
    send()
  })
`

export function startDistantCaller(): DistantCaller {
  const worker = new Worker(CALLER, { eval: true })
  return {
    send: (call) =>
      new Promise((resolve, reject) => {
        const settle = (answer: DistantAnswer): void => {
          worker.off('error', reject)
          resolve(answer)
        }
        worker.once('message', settle).once('error', reject)
        worker.postMessage(call)
      }),
    close: async () => {
      await worker.terminate()
    },
  }
}
