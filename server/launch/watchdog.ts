/**
 * Tells systemd that the server is ready and, regularly, that it still answers (sd_notify(3)); does nothing
 * without systemd. Owns: the pulse. Never: the reaction to a missing pulse, which the unit defines
 * (resources/kiosk/systemd).
 */
import { execFile } from 'node:child_process'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

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
    isAlive: checkAnswer,
  }
}

/** Any answer counts. The certificate is not verified: the address is this process's own. */
export function checkAnswer(url: string): Promise<boolean> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const options = { method: 'HEAD', rejectUnauthorized: false, timeout: ANSWER_MS }
    const asked = request(url, options, (answer) => {
      answer.resume()
      resolve(true)
    })
    asked.once('timeout', () => asked.destroy())
    asked.once('error', () => resolve(false))
    asked.once('close', () => resolve(false))
    asked.end()
  })
}
