"""Publishing on the Hugging Face Hub: push in one step, and verify a published version."""
