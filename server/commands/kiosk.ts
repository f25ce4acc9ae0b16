/**
 * `npm run kiosk`: the window of a machine whose server runs as a service, and the officers' passphrase of
 * the shell.
 */
import { randomBytes, scryptSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makePublicFolder } from '../files/public-folder.ts'
import { writeFileWhole } from '../files/write-file.ts'
import { showFirstScreen } from '../launch/screen.ts'
import { createLog, openErrorStream } from '../log.ts'
import { waitUntilAskedToStop } from './asked-to-stop.ts'
import { openTerminal } from './terminal.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const ADMIN_FILE = '/etc/counterproof/admin.json'
/** As in the unit of the server (resources/kiosk/systemd). */
const WINDOW_SOCKET = '/run/counterproof-window/kiosk.sock'
const HELP = `The kiosk of a machine whose server runs as a service.

  npm run kiosk -- show [--url URL] [--window-socket FILE]
  npm run kiosk -- set-admin [--file FILE]

  show             waits for the server, then keeps the kiosk's window open on this display; ends with Ctrl+C or SIGTERM
  --url            the server, http://127.0.0.1:PORT (default: http://127.0.0.1:8717)
  --window-socket  the socket that the server opened with its own --window-socket
                   (default: /run/counterproof-window/kiosk.sock)
  set-admin        reads a passphrase from standard input and writes its scrypt hash, for the staff prompt of the Electron
                   shell
  --file           file of the hash (default: /etc/counterproof/admin.json); it belongs to root, and only root may write it

Exit status: 0 done, 1 refused, 2 wrong use.

Example: npm run kiosk -- show --url http://127.0.0.1:8717
`

interface Asked {
  readonly url: string | undefined
  readonly socket: string | undefined
  readonly file: string | undefined
}

const ACTIONS: Readonly<Record<string, (asked: Asked) => Promise<number>>> = {
  show,
  'set-admin': setAdmin,
}

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    url: { type: 'string' },
    'window-socket': { type: 'string' },
    file: { type: 'string' },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(more)
  return action({ url: values.url, socket: values['window-socket'], file: values.file })
}

const RETRY_MS = 2000

async function show({ url = 'http://127.0.0.1:8717', socket = WINDOW_SOCKET }: Asked): Promise<number> {
  const address = URL.canParse(url) ? new URL(url) : null
  if (address?.protocol !== 'http:' || address.hostname !== '127.0.0.1')
    throw new UsageError('--url takes http://127.0.0.1:PORT')
  const stop = new AbortController()
  void waitUntilAskedToStop().then(() => stop.abort())
  while (!stop.signal.aborted && !(await answers(address))) await pause(stop.signal)
  if (stop.signal.aborted) return 0
  const log = createLog(openErrorStream())
  const screen = await showFirstScreen({ url: address.origin, socket, log })
  if (screen.how === 'url') return 1
  // The page itself waits for a server that restarts; keepWindow reopens a window that ends.
  await new Promise<void>((done) => {
    if (stop.signal.aborted) done()
    stop.signal.addEventListener('abort', () => done())
    void screen.gone?.then(done)
  })
  await screen.close()
  return stop.signal.aborted ? 0 : 1
}

async function answers(address: URL): Promise<boolean> {
  try {
    return (await fetch(new URL('/kiosk/', address), { method: 'HEAD' })).ok
  } catch {
    return false
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await wait(RETRY_MS, undefined, { signal }).catch(() => undefined)
}

/**
 * The format of main/credential.ts. Cost: 128 MB and about half a second, OWASP's first choice for scrypt
 * (2023).
 */
const COST = { cost: 2 ** 17, blockSize: 8, parallelization: 1 } as const
const MIN_LETTERS = 12
const MAX_LETTERS = 200

async function setAdmin({ file = ADMIN_FILE }: Asked): Promise<number> {
  const terminal = openTerminal()
  try {
    const passphrase = (await terminal.ask('Passphrase for staff at this machine:')).normalize('NFC')
    if (passphrase.length < MIN_LETTERS || passphrase.length > MAX_LETTERS) {
      terminal.say(
        `It needs ${MIN_LETTERS} to ${MAX_LETTERS} characters: several words. Nothing was changed.`,
      )
      return 1
    }
    const again = (await terminal.ask('Once more:')).normalize('NFC')
    if (again !== passphrase) {
      terminal.say('The two differ. Nothing was changed.')
      return 1
    }
    writeCredential(resolve(file), passphrase)
    terminal.say(`Written to ${resolve(file)}. It counts from the next try on.`)
    return 0
  } finally {
    terminal.close()
  }
}

function writeCredential(path: string, passphrase: string): void {
  const salt = randomBytes(16)
  const { cost, blockSize, parallelization } = COST
  const maxmem = 256 * cost * blockSize
  const hash = scryptSync(passphrase, salt, 32, { N: cost, r: blockSize, p: parallelization, maxmem })
  const credential = {
    algorithm: 'scrypt',
    ...COST,
    salt: salt.toString('base64'),
    hash: hash.toString('base64'),
  }
  // The shell's own user must be able to read the file but not to write it.
  const isRoot = process.getuid?.() === 0
  if (isRoot) makePublicFolder(dirname(path))
  else mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileWhole(path, `${JSON.stringify(credential)}\n`, { mode: isRoot ? 0o644 : 0o600 })
}
