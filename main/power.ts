/**
 * The machine's sleep. Owns: keeping the display awake, and a clean first screen after a pause, because the
 * applicant from before the pause is gone. Never: the machine's own power settings.
 */
import { powerMonitor, powerSaveBlocker } from 'electron'
import type { ShellLog } from './shell-log.ts'

export function watchPower(log: ShellLog, startAgain: () => void): void {
  powerSaveBlocker.start('prevent-display-sleep')
  for (const pause of ['suspend', 'lock-screen'] as const)
    (powerMonitor as NodeJS.EventEmitter).on(pause, () => log.info({ pause }, 'the machine pauses'))
  for (const end of ['resume', 'unlock-screen'] as const)
    (powerMonitor as NodeJS.EventEmitter).on(end, () => {
      log.info({ end }, 'the machine continues; the first screen is shown again')
      startAgain()
    })
}
