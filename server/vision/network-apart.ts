/**
 * Runs networks on a separate thread, because onnxruntime-node computes on the calling thread and would block other
 * measurements. One thread for all networks: the machine has two cores, and the rest of the work needs the other one.
 */
import { Worker } from 'node:worker_threads'
import type { Network } from './network.ts'
import type { NetworkReply, NetworkRequest } from './network-thread.ts'
import type { SessionMemory } from './open-session.ts'

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never

/** Like `openNetwork`; `run` rejects if the thread has ended. */
export async function openNetworkApart(bytes: Buffer, memory: SessionMemory): Promise<Network> {
  const { ask } = (thread ??= startThread())
  const opened = await ask({ kind: 'open', bytes, memory })
  if (opened.kind !== 'opened') throw new TypeError('a network was asked for, something else was answered')
  return {
    outputNames: opened.outputNames,
    async run(input, dims) {
      const answer = await ask({ kind: 'run', network: opened.id, input, dims }, [
        input.buffer as ArrayBuffer,
      ])
      if (answer.kind !== 'outputs')
        throw new TypeError('outputs were asked for, something else was answered')
      return answer.outputs
    },
    async close() {
      await ask({ kind: 'close', network: opened.id })
    },
  }
}

interface NetworkThread {
  readonly ask: (request: Unnumbered<NetworkRequest>, moved?: readonly ArrayBuffer[]) => Promise<NetworkReply>
}

let thread: NetworkThread | null = null

function startThread(): NetworkThread {
  const worker = new Worker(new URL('./network-thread.ts', import.meta.url))
  const waiting = new Map<number, PromiseWithResolvers<NetworkReply>>()
  let last = 0
  let isOver: Error | null = null
  const settle = (id: number): PromiseWithResolvers<NetworkReply> | undefined => {
    const asked = waiting.get(id)
    waiting.delete(id)
    // The thread keeps the process alive only while an answer is pending.
    if (waiting.size === 0) worker.unref()
    return asked
  }
  const end = (error: Error): void => {
    isOver ??= error
    for (const id of [...waiting.keys()]) settle(id)?.reject(isOver)
  }
  worker.on('message', (reply: NetworkReply) => {
    if (reply.kind === 'error') settle(reply.id)?.reject(reply.error)
    else settle(reply.id)?.resolve(reply)
  })
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the thread of the networks has ended')))
  worker.unref()
  return {
    ask(request, moved = []) {
      if (isOver) return Promise.reject(isOver)
      const asked = Promise.withResolvers<NetworkReply>()
      waiting.set(++last, asked)
      worker.ref()
      worker.postMessage({ ...request, id: last }, moved)
      return asked.promise
    },
  }
}
