/**
 * Tells systemd that the server is ready and, regularly, that it still answers (sd_notify(3)); does nothing
 * without systemd. Owns: the pulse. Never: the reaction to a missing pulse, which the unit defines
 * (resources/kiosk/systemd).
 */
import { execFile } from 'node:child_process'

interface Watchdog {
  stop(): void
}

interface WatchdogTools {
  readonly env: NodeJS.ProcessEnv
  /** Uses systemd's own program, because Node opens no datagram socket to a path. Never throws. */
  readonly notify: (state: string) => void
  /** True if the server answers. */
  readonly isAlive: (url: string) => Promise<boolean>
}

/** Three pulses fit into systemd's time limit, so that one may be lost. */
const PULSES = 3
const ANSWER_MS = 10_000

export function startWatchdog(url: string, tools: WatchdogTools = systemTools()): Watchdog {
  const { env, notify, isAlive } = tools
  if (!env.NOTIFY_SOCKET) return { stop: () => undefined }
  notify('READY=1')
  const limitMs = Number(env.WATCHDOG_USEC ?? 0) / 1000
  const pulse = async (): Promise<void> => {
    if (await isAlive(url)) notify('WATCHDOG=1')
  }
  const timer = limitMs > 0 ? setInterval(() => void pulse(), limitMs / PULSES) : undefined
  return {
    stop() {
      clearInterval(timer)
      notify('STOPPING=1')
    },
  }
}

function systemTools(): WatchdogTools {
  return {
    env: process.env,
    notify: (state) => void execFile('systemd-notify', [state], () => undefined),
    isAlive: async (url) => {
      try {
        await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) })
        return true
      } catch {
        return false
      }
    },
  }
}
