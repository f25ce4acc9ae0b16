/** A pcscd on a real Unix socket whose replies a test chooses. It understands requests only as far as their header. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ReceivedRequest {
  readonly command: number
  readonly body: Buffer
  /** Bytes of a command for the card. */
  readonly apdu: Buffer
}

/** Returns the reply; null closes the connection, and an empty buffer is no reply. */
export type Script = (request: ReceivedRequest, count: number) => Buffer | null

export interface ScriptedPcscd {
  readonly path: string
  readonly requests: readonly ReceivedRequest[]
  connect(): Promise<Socket>
  close(): Promise<void>
}

const TRANSMIT = 0x09
const VERSION = 0x11

export const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => bytes.writeUInt32LE(value >>> 0, i * 4))
  return bytes
}

/** Accepts the version, and leaves the other requests to the script. */
export function afterVersion(script: Script): Script {
  return (request, count) => (request.command === VERSION ? request.body : script(request, count))
}

export async function startScriptedPcscd(script: Script): Promise<ScriptedPcscd> {
  const folder = mkdtempSync(join(tmpdir(), 'pcscd-'))
  const path = join(folder, 'pcscd.comm')
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let received = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      for (let request = takeRequest(received); request !== null; request = takeRequest(received)) {
        received = received.subarray(8 + request.body.length + request.apdu.length)
        requests.push(request)
        const reply = script(request, requests.length)
        if (reply === null) socket.destroy()
        else socket.write(reply)
      }
    })
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    path,
    requests,
    connect: async () => {
      const socket = connect(path)
      await once(socket, 'connect')
      return socket
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function takeRequest(bytes: Buffer): ReceivedRequest | null {
  if (bytes.length < 8) return null
  const [length, command] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
  if (bytes.length < 8 + length) return null
  const body = bytes.subarray(8, 8 + length)
  const more = command === TRANSMIT ? body.readUInt32LE(12) : 0
  if (bytes.length < 8 + length + more) return null
  return {
    command,
    body: Buffer.from(body),
    apdu: Buffer.from(bytes.subarray(8 + length, 8 + length + more)),
  }
}
