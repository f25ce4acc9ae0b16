/** Configuration of the metrics for Prometheus. */
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { readSecretFile } from './secret-file.ts'
import { textLike } from './text-forms.ts'

const MIN_TOKEN_LENGTH = 16
/** Characters of a bearer token (RFC 6750). */
const TOKEN = /^[A-Za-z0-9._~+/=-]{16,512}$/

export const MetricsConfig = z
  .strictObject({
    tokenFile: z
      .string()
      .min(1)
      .optional()
      .describe('File with the token that GET /metrics requires, relative to the data folder, mode 0600'),
    socket: textLike(/^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/, 'must be an absolute path')
      .optional()
      .describe('Unix socket that serves /metrics without a token; its folder decides who may connect'),
  })
  .refine(({ tokenFile, socket }) => tokenFile !== undefined || socket !== undefined, {
    error: 'needs tokenFile or socket',
    ...EVEN_WITH_PROBLEMS,
  })
  .optional()
  .describe('Metrics for Prometheus; absent: there are none')

/** Null: no token opens /metrics. Throws `configuration_invalid`. */
export function readMetricsToken(config: {
  readonly dataDir: string
  readonly metrics?: z.infer<typeof MetricsConfig>
}): string | null {
  const file = config.metrics?.tokenFile
  if (file === undefined) return null
  const field = 'metrics.tokenFile'
  const token = readSecretFile(config.dataDir, file, field)
  if (TOKEN.test(token)) return token
  const message = `the token needs ${MIN_TOKEN_LENGTH} to 512 letters, digits or -._~+/=`
  throw new AppError('configuration_invalid', { field }, { problems: [{ code: 'unusable', field, message }] })
}
