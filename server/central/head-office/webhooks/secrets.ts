/** Binds the encrypted secret of a webhook to its row. */
export function webhookSecretContext(webhookId: string): string {
  return `webhook-secret:${webhookId}`
}
