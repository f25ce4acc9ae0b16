/** The thread in which `openNetworkApart` runs its networks sequentially. Never sees a file or a picture. */
import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { openNetwork, type Network, type Outputs } from './network.ts'
import type { SessionMemory } from './open-session.ts'

export type NetworkRequest = { readonly id: number } & (
  | { readonly kind: 'open'; readonly bytes: Uint8Array; readonly memory: SessionMemory }
  /** `network`: id of the request that opened it. */
  | {
      readonly kind: 'run'
      readonly network: number
      readonly input: Float32Array
      readonly dims: readonly number[]
    }
  | { readonly kind: 'close'; readonly network: number }
)

export type NetworkReply = { readonly id: number } & (
  | { readonly kind: 'opened'; readonly outputNames: readonly string[] }
  | { readonly kind: 'outputs'; readonly outputs: Outputs }
  | { readonly kind: 'closed' }
  | { readonly kind: 'error'; readonly error: unknown }
)

// This thread makes both cores busy, so it yields to the measuring thread, and both yield to the server.
const niceness = getPriority()
setPriority(Math.max(niceness, Math.min(2 * niceness, constants.priority.PRIORITY_LOW)))

const networks = new Map<number, Network>()

async function answer(request: NetworkRequest): Promise<NetworkReply> {
  const { id } = request
  try {
    if (request.kind === 'open') {
      const { buffer, byteOffset, byteLength } = request.bytes
      const network = await openNetwork(Buffer.from(buffer, byteOffset, byteLength), request.memory)
      networks.set(id, network)
      return { id, kind: 'opened', outputNames: network.outputNames }
    }
    const network = networks.get(request.network)
    if (!network) throw new TypeError('this network is not open')
    if (request.kind === 'close') {
      networks.delete(request.network)
      await network.close()
      return { id, kind: 'closed' }
    }
    return { id, kind: 'outputs', outputs: await network.run(request.input, request.dims) }
  } catch (error) {
    return { id, kind: 'error', error }
  }
}

/** The buffers of the outputs are handed over, because a recogniser's output has megabytes. */
function listBuffers(reply: NetworkReply): ArrayBuffer[] {
  if (reply.kind !== 'outputs') return []
  return Object.values(reply.outputs).map(({ data }) => data.buffer as ArrayBuffer)
}

parentPort?.on('message', (request: NetworkRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply, listBuffers(reply)))
})
