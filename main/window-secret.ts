/**
 * Gets the secret of the kiosk's window from the server, over the server's socket
 * (server/launch/window-socket.ts). Every page load from the server needs a fresh one, because the cookie is
 * cleared with each visit.
 */
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const WAIT_MS = 5000

/** A path for the socket, in a new folder that only this user may open. */
export function newSocketPath(env: NodeJS.ProcessEnv): string {
  return join(mkdtempSync(join(env.XDG_RUNTIME_DIR ?? tmpdir(), 'counterproof-window-')), 'kiosk.sock')
}

/**
 * Returns the address of the first page with a secret; without one if the server issues none, and the page
 * then says so.
 */
export async function withSecret(page: string, socket: string): Promise<string> {
  const secret = await requestSecret(socket).catch(() => '')
  return secret === '' ? page : `${page}#window=${secret}`
}

function requestSecret(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no answer')))
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.once('error', reject)
    socket.once('end', () => resolve(text.trim()))
  })
}
