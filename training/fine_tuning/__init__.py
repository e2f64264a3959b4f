"""Fine-tuning through transformers' Trainer: batches, checkpoints, the trained model's folder and its card."""
