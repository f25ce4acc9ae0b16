/** Stands in for the reader process: answers each message with one that the server must refuse. */
process.on('message', ({ id }: { id: number }) =>
  process.send?.({
    kind: 'inspection',
    id,
    residentBytes: 1,
    outcome: { kind: 'inspected', reader: 'x', inspection: { verdict: 'successful' } },
  }),
)
process.on('disconnect', () => process.exit(0))
process.send?.({ kind: 'ready' })
