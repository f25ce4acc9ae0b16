/**
 * A socket in the file system over which the appliance issues the secrets of the kiosk's window. Each
 * connection gets a fresh one. The folder of the socket decides who may connect (`files/socket-file`).
 */
import { connect, createServer } from 'node:net'
import { listenOnSocket } from '../files/socket-file.ts'

const WAIT_MS = 5000

export interface WindowSocket {
  close(): Promise<void>
}

/**
 * @param newSecret null: the kiosk needs none. Throws `configuration_invalid` for a path that is unsuitable
 * for a socket.
 */
export async function openWindowSocket(path: string, newSecret: () => string | null): Promise<WindowSocket> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${newSecret() ?? ''}\n`)
  })
  await listenOnSocket(server, path, '--window-socket')
  return { close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Null: the kiosk needs none. Rejects if the appliance does not answer. */
export function requestSecret(path: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no answer')))
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.once('error', reject)
    socket.once('end', () => resolve(text.trim() === '' ? null : text.trim()))
  })
}

/**
 * Returns the address of the kiosk's first page. The browser sends a fragment to no server, and no log
 * contains it.
 */
export function withSecret(address: string, secret: string | null): string {
  return secret === null ? address : `${address}#window=${secret}`
}
