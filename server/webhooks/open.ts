/** Opens the webhook sender with the settings of the configuration. */
import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { readOwnFile, UnsafeFileError } from '../files/own-files.ts'
import { createSender, type Sender } from '../outgoing/send.ts'
import { PRODUCT_VERSION } from '../version.ts'

/** Throws `configuration_invalid` if the CA file is missing or holds no certificate. */
export function openWebhookSender({ dataDir, webhooks }: Context['config']): Sender {
  const { allowHttp, allowPrivateAddresses, timeoutSeconds, caFile } = webhooks
  const ca = caFile === undefined ? {} : { ca: readAuthorities(resolve(dataDir, caFile)) }
  const rules = { allowHttp, allowPrivateAddresses, timeoutMs: timeoutSeconds * 1_000 }
  return createSender({ ...rules, ...ca }, `Counterproof/${PRODUCT_VERSION}`)
}

function readAuthorities(path: string): string {
  const field = 'webhooks.caFile'
  try {
    const pem = readOwnFile(path, 'public').toString('utf8')
    // Refuses a file that Node would silently ignore.
    new X509Certificate(pem)
    return pem
  } catch (cause) {
    const message =
      cause instanceof UnsafeFileError
        ? `${cause.path}: ${cause.message}`
        : 'the file that it names is missing or holds no certificate'
    throw new AppError(
      'configuration_invalid',
      { field },
      { cause, problems: [{ code: 'unusable', field, message }] },
    )
  }
}
