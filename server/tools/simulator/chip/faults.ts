/** Named defects of simulated chips: copies, forgeries and chips that misbehave. Each is a change of a profile. */
import { makeRsaKey } from './active-authentication-chip.ts'
import { writeDg2 } from './portrait-files.ts'
import { IMAGES, type ProfileChanges } from './profiles.ts'
import { writeEfCom } from './signed-files.ts'

export const CHIP_FAULTS = {
  /** All files of a genuine document, and none of its keys. */
  copied: () => ({ card: { chipAuthentication: null, sign: () => Buffer.alloc(128, 1) } }),
  'exchanged-portrait': () => ({ application: { 0x102: writeDg2(IMAGES[5]()) } }),
  /** A key of active authentication that EF.COM lists and EF.SOD does not. */
  'unsigned-key': () => {
    const { dg15 } = makeRsaKey(1024)
    return { com: () => writeEfCom(1, 2, 15), application: { 0x10f: dg15 } }
  },
  'foreign-authority': () => ({ issue: { country: 'FR' } }),
  'expired-signer': () => ({ issue: { signer: { validTo: '221231235959Z' } } }),
  'old-session-keys': () => ({ card: { faults: { keepsOldKeys: true } } }),
  'wrong-key': () => ({ card: { faults: { bacStatus: 0x6300 } }, pace: { refuses: { token: 0x6300 } } }),
} as const satisfies Readonly<Record<string, () => ProfileChanges>>
export type ChipFaultName = keyof typeof CHIP_FAULTS
export const CHIP_FAULT_NAMES = Object.keys(CHIP_FAULTS) as readonly ChipFaultName[]
