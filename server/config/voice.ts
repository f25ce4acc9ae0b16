/** Options of the voice gateway. */
import { z } from 'zod'
import type { VoiceSettings } from '../connectors/voice/voice-gateway.ts'
import { demandHttpsFor, HTTP_ADDRESS } from '../outgoing/service-address.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { readSecretFile } from './secret-file.ts'
import { readServiceSettings, serviceOptions, serviceSchema } from './service-options.ts'

export const VoiceConnector = serviceSchema({
  ...serviceOptions(10_000),
  callbackSecretFile: z.string().optional().describe('File with the secret of its reports, whsec_…'),
  publicUrl: HTTP_ADDRESS.optional().describe('Address at which it reaches this server with its reports'),
})
  .superRefine(demandHttpsFor('publicUrl'), EVEN_WITH_PROBLEMS)
  .superRefine(({ callbackSecretFile, publicUrl }, ctx) => {
    if ((callbackSecretFile === undefined) === (publicUrl === undefined)) return
    const missing = publicUrl === undefined ? 'publicUrl' : 'callbackSecretFile'
    const message = 'reports need both callbackSecretFile and publicUrl'
    ctx.addIssue({ code: 'custom', path: [missing], message, input: undefined })
  }, EVEN_WITH_PROBLEMS)
type VoiceOptions = z.infer<typeof VoiceConnector>

/** Throws `configuration_invalid` with the field of a file that cannot be used. */
export function readVoiceSettings(voice: VoiceOptions, dataDir: string): VoiceSettings {
  const { callbackSecretFile } = voice
  const section = 'connectors.voice'
  return {
    ...readServiceSettings(voice, dataDir, section),
    callbackSecrets:
      callbackSecretFile === undefined
        ? null
        : readSecretFile(dataDir, callbackSecretFile, `${section}.callbackSecretFile`),
  }
}
