"""Fine-tuning through transformers' Trainer: batches, checkpoints, the trained model and its card."""
