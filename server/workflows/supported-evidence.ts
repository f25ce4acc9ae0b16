export function supportedEvidenceWorkflows() {
  return {}
}
