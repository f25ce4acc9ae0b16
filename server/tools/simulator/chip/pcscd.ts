/**
 * Runs a pcscd of its own with virtual readers (vpcd of vsmartcard), for tests and benches. Debian's pcscd has a fixed socket, so it runs
 * in bubblewrap with a folder of its own in that place: several can run beside each other and beside that of the machine, without root.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface VirtualPcscd {
  readonly socketPath: string
  /** Ports of the virtual readers, for `insertCard`. */
  readonly ports: readonly [number, number]
  /** Ends pcscd, as if the service stopped; its socket stays and refuses connections. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const DRIVER = '/usr/lib/pcsc/drivers/serial/libifdvpcd.so'
const PCSCD = '/usr/sbin/pcscd'
const BUBBLEWRAP = '/usr/bin/bwrap'
const START_MS = 10_000
/** State of a socket in /proc/net/tcp. */
const LISTENING = '0A'

/** The packages that are missing; empty if pcscd can run. */
export function findMissingPackages(): string[] {
  return [
    ...(existsSync(PCSCD) ? [] : ['pcscd']),
    ...(existsSync(DRIVER) ? [] : ['vsmartcard-vpcd']),
    ...(existsSync(BUBBLEWRAP) ? [] : ['bubblewrap']),
  ]
}

/** Needs the packages of `findMissingPackages`. Throws if pcscd does not listen within ten seconds. */
export async function startVirtualPcscd(): Promise<VirtualPcscd> {
  const folder = mkdtempSync(join(tmpdir(), 'pcscd-'))
  const [run, config] = [join(folder, 'run'), join(folder, 'config')]
  mkdirSync(run)
  mkdirSync(config)
  const port = await findFreePort()
  const channel = `0x${port.toString(16)}`
  writeFileSync(
    join(config, 'vpcd'),
    `FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:${channel}\nLIBPATH ${DRIVER}\nCHANNELID ${channel}\n`,
  )
  const socketPath = join(run, 'pcscd.comm')
  let child: ChildProcess | null = null
  const stop = async (): Promise<void> => {
    const running = child
    child = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
  }
  const start = async (): Promise<void> => {
    rmSync(socketPath, { force: true })
    rmSync(join(run, 'pcscd.pid'), { force: true })
    child = spawn(BUBBLEWRAP, listArguments(run, config), { stdio: 'ignore' })
    const deadline = performance.now() + START_MS
    while (!existsSync(socketPath) || !areListening(port, port + 1)) {
      if (performance.now() > deadline || child.exitCode !== null) {
        await stop()
        throw new Error('pcscd does not start in bubblewrap: this machine may refuse user namespaces')
      }
      await wait(20)
    }
  }
  const close = async (): Promise<void> => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return { socketPath, ports: [port, port + 1], stop, start, close }
}

function listArguments(run: string, config: string): string[] {
  const visible = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run']
  return [
    '--unshare-user',
    '--unshare-pid',
    '--die-with-parent',
    ...visible,
    ...['--bind', run, '/run/pcscd', '--ro-bind', config, config],
    ...['--', PCSCD, '--foreground', '--config', config],
  ]
}

/** vpcd takes the port after it for the second reader. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const [first, second] = [createServer(), createServer()]
    try {
      first.listen(0, '0.0.0.0')
      await once(first, 'listening')
      const { port } = first.address() as AddressInfo
      second.listen(port + 1, '0.0.0.0')
      await once(second, 'listening')
      return port
    } catch {
      // The second port is in use: try another pair.
    } finally {
      first.close()
      second.close()
    }
  }
}

/** Asks the system: a connection would be a card, and a listener on the port could take it from vpcd. */
function areListening(...ports: readonly number[]): boolean {
  const sockets = readFileSync('/proc/net/tcp', 'latin1').split('\n')
  const isListening = (port: number): boolean => {
    const address = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 ${LISTENING} `
    return sockets.some((line) => line.includes(address))
  }
  return ports.every(isListening)
}
