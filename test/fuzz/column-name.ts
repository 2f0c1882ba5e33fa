/** Name of the decoder of a column's keys or values; also that of its file in the corpus. */
export function columnDecoderName(column: string, part: 'key' | 'value'): string {
  return `column-${column.replaceAll('/', '-')}-${part}`;
}
