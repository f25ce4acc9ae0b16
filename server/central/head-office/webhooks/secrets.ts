/** Binds the sealed secret of a webhook to its row. */
export function webhookSecretContext(webhookId: string): string {
  return `webhook-secret:${webhookId}`
}
