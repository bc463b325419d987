/** Which tokens end a generation. Models name several, and files often list only one of them. */

/** Texts of tokens that end a turn or a document in published chat models (the set llama.cpp uses too). */
const END_TEXTS: ReadonlySet<string> = new Set([
  '<|eot_id|>',
  '<|eom_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<|calls|>',
  '<|flush|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '</s>',
  '<EOT>',
  '_<EOT>',
  '[EOT]',
  '[EOS]',
  '<eos>',
  '<turn|>',
  '<|tool_response>',
  '<end_of_utterance>',
  '<｜end▁of▁sentence｜>',
  '[e~[',
  // Padding and file separators of fill-in-the-middle training: nothing useful follows them.
  '<|fim_pad|>',
  '<fim-pad>',
  '<fim_pad>',
  '<|fim_repo|>',
  '<|repo_name|>',
  '<fim-repo>',
  '<reponame>',
  '<|file_sep|>',
]);

/**
 * Whether a vocabulary entry is an end token whatever its stored type: some converters left `<|im_end|>` and the like
 * as normal tokens. Texts that a document may contain, such as HTML's `</s>`, are not taken on trust.
 */
export function isUnmistakableEndText(token: string): boolean {
  return END_TEXTS.has(token) && /^(?:<[|｜]|<end_of_)/.test(token);
}

/**
 * All end-of-generation ids.
 * @param declared ids that the model's files name (eos, eot, eom).
 * @param candidates tokens whose text may mark an end: [text, id].
 */
export function endOfGenerationIds(
  declared: Iterable<number>,
  candidates: Iterable<readonly [string, number]>,
): number[] {
  const ids = new Set<number>();
  const byText = new Map<string, number>();
  for (const [text, id] of candidates) {
    if (!END_TEXTS.has(text)) continue;
    byText.set(text, id);
    ids.add(id);
  }
  const drop = (text: string): void => {
    const id = byText.get(text);
    if (id !== undefined) ids.delete(id);
  };
  // Harmony (gpt-oss) and Solar Open close each message with <|end|> and go on with the next one.
  if (byText.has('<|return|>') && byText.has('<|call|>')) drop('<|end|>');
  if (byText.has('<|calls|>') && byText.has('<|flush|>')) drop('<|end|>');
  // Gemma 4 has </s> as an ordinary word of its vocabulary.
  if (byText.has('<|tool_response>')) drop('</s>');
  for (const id of declared) ids.add(id);
  return [...ids].sort((a, b) => a - b);
}
